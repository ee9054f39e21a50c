"""``submission_metadata.json``: who handed in, when, and what the submission before this one got."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

_DAY = timedelta(days=1)
_PEOPLE_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known; everything may be absent, for a file of another form costs no grading."""

    submission_id: str = ""
    people: tuple[str, ...] = ()  # mail addresses, else the platform's numbers
    handed_in: datetime | None = None
    due: datetime | None = None
    late_due: datetime | None = None
    score_before: float | None = None

    @property
    def late_days(self) -> int | None:
        """Days begun after the time it was due; None where that is not known."""
        if self.handed_in is None or self.due is None:
            return None
        return max(0, -(-(self.handed_in - self.due) // _DAY))


def read_facts(data: bytes) -> Facts:
    """The facts in a file that the platform wrote; what is not understood is left out."""
    try:
        found = json.loads(data)
    except ValueError:
        return Facts()
    if not isinstance(found, dict):
        return Facts()
    assignment = _mapping(found.get("assignment"))
    users = [user for user in _list(found.get("users")) if isinstance(user, dict)][:_PEOPLE_LIMIT]
    # One person's extension stands with the person.
    own = _mapping(users[0].get("assignment")) if len(users) == 1 else {}
    return Facts(
        submission_id=str(found.get("id") or ""),
        people=tuple(str(user.get("email") or user.get("id") or "?") for user in users),
        handed_in=_moment(found.get("created_at")),
        due=_moment(own.get("due_date")) or _moment(assignment.get("due_date")),
        late_due=_moment(own.get("late_due_date")) or _moment(assignment.get("late_due_date")),
        score_before=_score_before(_list(found.get("previous_submissions"))),
    )


def _score_before(submissions: list[Any]) -> float | None:
    """The score of the newest earlier submission that has one."""
    scored = [
        (str(each.get("submission_time") or ""), score)
        for each in map(_mapping, submissions)
        if (score := _number(each.get("score"))) is not None
    ]
    return max(scored)[1] if scored else None


def _moment(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _number(value: object) -> float | None:
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if 0 <= number < 1e6 else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
