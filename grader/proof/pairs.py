"""Two known mistakes in one file: are both named, and nothing else?"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from typing import Final

from grader.diagnosis.faults import Fault, faulty_source
from grader.proof.facts import Naming, Set
from grader.proof.matrix import named_in
from grader.proof.trials import Trials

WANTED: Final = 80  # per cent


def tried_pairs(trials: Trials, solution: str, faults: Sequence[Fault], count: int) -> Naming:
    """``count`` pairs, always the same ones as long as the mistakes are; one more for each that is left out."""
    waiting = _in_fixed_order(solution, faults)
    named: list[Set] = []
    not_named: dict[Set, tuple[Set, ...]] = {}
    left_out: dict[Set, tuple[Set, ...]] = {}
    with trials.stage("pairs"):
        while waiting and len(named) + len(not_named) < count:
            wanted = count - len(named) - len(not_named)
            batch, waiting = waiting[:wanted], waiting[wanted:]
            seen = _named(trials, batch)
            wrong = [pair for pair, sets in seen.items() if {name for each in sets for name in each} != set(pair)]
            named += [pair for pair in seen if pair not in wrong]
            for pair, same in _twins(trials, wrong).items():
                if same:
                    left_out[pair] = same
                else:
                    not_named[pair] = seen[pair]
    return Naming(len(named) + len(not_named), len(named), not_named, left_out)


def twins_among_singles(trials: Trials) -> tuple[Set, ...]:
    """Groups of mistakes that answer every question of every test alike."""
    with trials.stage("known mistakes"):
        job = trials.job(trials.assignment.stub, asks="twins")
        groups = trials.graded({"": job})[""]["twins"]
    return tuple(tuple(group) for group in groups)


Written = tuple[Set, str]


def _in_fixed_order(solution: str, faults: Sequence[Fault]) -> list[Written]:
    """Every pair that can stand in one file, with its source; a new mistake shifts none of the others."""
    pairs = [
        ((a.id, b.id), source)
        for a, b in itertools.combinations(faults, 2)
        if (source := faulty_source(solution, (a, b))) is not None
    ]
    return sorted(pairs, key=lambda pair: hashlib.sha256(" ".join(pair[0]).encode()).digest())


def _named(trials: Trials, batch: Sequence[Written]) -> dict[Set, tuple[Set, ...]]:
    jobs = {pair: trials.job(trials.submission("pair-" + "-".join(pair), source)) for pair, source in batch}
    return {pair: named_in(document) for pair, document in trials.graded(jobs).items()}


def _twins(trials: Trials, pairs: Sequence[Set]) -> dict[Set, tuple[Set, ...]]:
    """The other mistakes and pairs that answer all questions as each of these pairs does."""
    stub = trials.assignment.stub
    documents = trials.graded({pair: trials.job(stub, asks=" ".join(("twins", *pair))) for pair in pairs})
    return {pair: tuple(tuple(same) for same in document["twins"]) for pair, document in documents.items()}
