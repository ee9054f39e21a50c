"""Where the tolerances lie between right code and known mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grader.model.outcome import Outcome
from grader.proof.facts import Room
from grader.proof.trials import Document

Used = tuple[float, str, str]  # an error in units of its tolerance, whose it is, and in which test


def room_of(right: Mapping[str, Sequence[Document]], wrong: Mapping[str, Sequence[Document]]) -> Room:
    """The largest error of right code and the smallest that cost a mistake marks; reports by name."""
    largest, variant, worst_in = max(_used(right, failed=False), default=(0.0, "", ""))
    smallest, fault, nearest_in = min(_used(wrong, failed=True), default=(0.0, "", ""))
    return Room(variant, largest, worst_in, fault, smallest, nearest_in)


def _used(reports: Mapping[str, Sequence[Document]], *, failed: bool) -> Iterator[Used]:
    """The error of each test that passed, or that a comparison failed: the one that ended it is its largest."""
    outcome = Outcome.FAILED if failed else Outcome.PASSED
    for name, documents in reports.items():
        for document in documents:
            ended = {test["id"]: test["outcome"] for test in document["tests"]}
            for test, share in document.get("room", {}).items():
                if ended.get(test) == outcome and (share > 1) is failed:
                    yield share, name, test
