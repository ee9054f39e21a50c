"""Who moved between two states of a class, by how much, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from grader.commands.class_out import ClassOut, standing_json
from grader.commands.class_run import now
from grader.commands.console import note, say
from grader.model.report import Standing
from grader.reports.untrusted import one_line
from grader.reports.words import marks
from grader.store import Published, Store

_TESTS = 3  # named for each criterion; the rest are counted
Outcomes = Mapping[str, Mapping[str, tuple[str, str]]]  # by submission: test -> criterion, outcome
Key = tuple[str, str]


@dataclass(slots=True)
class Movements:
    """A regrade's rules, and what it found."""

    allow_lower: bool = False
    before: Sequence[Standing] = ()
    outcomes: dict[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)

    def look(self, store: Store) -> None:
        """Take in how the class stands before anything moves."""
        shown = ClassOut(store)
        self.before = shown.standings()
        self.outcomes = {d["submission"]["id"]: outcomes_of(d) for d in shown.documents()}

    def settle(self, store: Store) -> bool:
        """Tell who moved, and publish anew what was published; False where a published mark would fall unallowed."""
        published = {(each.submission, each.student_id) for each in store.published()}
        store.unpublish()
        shown = ClassOut(store)
        after = shown.standings()
        new = {d["submission"]["id"]: outcomes_of(d) for d in shown.documents()}
        moved = list(moves(self.before, after))
        tell(moved, self.outcomes, new)
        fallen = [
            (old, now_) for old, now_ in moved if old is not None and _key(old) in published and _falls(old, now_)
        ]
        if fallen and not self.allow_lower:
            note(f"{len(fallen)} published marks would fall, so nothing was changed; --allow-lower lets them")
            return False
        publish(store, [standing for standing in after if _key(standing) in published], shown)
        return True


def publish(store: Store, standings: Sequence[Standing], shown: ClassOut) -> None:
    """Freeze these rows and the documents behind them."""
    at, wanted = now(), {standing.submission for standing in standings}
    store.publish(
        (Published(s.student_id, s.submission, standing_json(s), at) for s in standings),
        (_without_late(document) for document in shown.documents() if document["submission"]["id"] in wanted),
    )


def _without_late(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a late policy takes off is frozen with the rows, and told from them."""
    return {key: value for key, value in document.items() if key != "late"}


def outcomes_of(document: Mapping[str, Any]) -> Mapping[str, tuple[str, str]]:
    return {test["id"]: (test["criterion"], test["outcome"]) for test in document["tests"]}


def moves(before: Sequence[Standing], after: Sequence[Standing]) -> Iterator[tuple[Standing | None, Standing | None]]:
    """Rows whose marks, status or part marks are not the same; None where one was not there."""
    old, new = ({_key(s): s for s in rows} for rows in (before, after))
    for key in sorted(old.keys() | new.keys()):
        was, is_now = old.get(key), new.get(key)
        if was is None or is_now is None or _facts(was) != _facts(is_now):
            yield was, is_now


def tell(moved: Sequence[tuple[Standing | None, Standing | None]], old: Outcomes, new: Outcomes) -> None:
    """A line a student and one for each reason."""
    for was, is_now in moved:
        one = is_now or was
        if one is None:
            continue
        who = one_line(one.student_id, limit=40)
        if was is None or is_now is None:
            say(f"{who}: {'no longer there' if is_now is None else f'new: {_mark(is_now)}'}")
            continue
        change = "" if was.score is None or is_now.score is None else f" ({_signed(is_now.score - was.score)})"
        say(f"{who}: {_mark(was)} -> {_mark(is_now)}{change}")
        for line in _reasons(was, is_now, old.get(was.submission, {}), new.get(is_now.submission, {})):
            say(f"  {line}")
    say(f"{len(moved)} moved" if moved else "nobody moved")


def _reasons(
    was: Standing, is_now: Standing, old: Mapping[str, tuple[str, str]], new: Mapping[str, tuple[str, str]]
) -> Iterator[str]:
    if was.status is not is_now.status:
        yield f"status: {was.status} -> {is_now.status}"
    if was.max_score != is_now.max_score:
        yield f"of {_plain(was.max_score)} -> of {_plain(is_now.max_score)}"
    for criterion in dict.fromkeys([*was.criteria, *is_now.criteria]):
        points, points_now = was.criteria.get(criterion), is_now.criteria.get(criterion)
        if points != points_now:
            turned = [
                f"{one_line(test, limit=60)} {old[test][1] if test in old else 'new'} -> {outcome}"
                for test, (of, outcome) in new.items()
                if of == criterion and old.get(test) != (of, outcome)
            ]
            why = "; ".join(turned[:_TESTS]) + (f"; and {len(turned) - _TESTS} more" if len(turned) > _TESTS else "")
            by_hand = "a person's mark" if is_now.overridden or was.overridden else "the rubric"
            yield f"{criterion}: {_plain(points)} -> {_plain(points_now)}: {why or by_hand}"
    if was.late_penalty != is_now.late_penalty:
        yield f"late: -{_plain(was.late_penalty)} -> -{_plain(is_now.late_penalty)}"
    if was.overridden != is_now.overridden:
        yield "a person's mark " + ("was given" if is_now.overridden else "was withdrawn")


def _key(standing: Standing) -> Key:
    return (standing.submission, standing.student_id)


def _facts(standing: Standing) -> tuple[object, ...]:
    return (standing.status, standing.score, standing.machine, standing.max_score, dict(standing.criteria))


def _falls(old: Standing, new: Standing | None) -> bool:
    return old.score is not None and (new is None or new.score is None or new.score < old.score)


def _mark(standing: Standing) -> str:
    score = standing.score if standing.score is not None else standing.machine
    return str(standing.status) if score is None else f"{_plain(score)} / {_plain(standing.max_score)}"


def _plain(value: Fraction | None) -> str:
    return "-" if value is None else marks(float(value))


def _signed(value: Fraction) -> str:
    return f"{'+' if value >= 0 else '-'}{marks(float(abs(value)))}"
