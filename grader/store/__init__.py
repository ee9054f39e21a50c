"""What was graded, by whom it was changed and what was published: one SQLite file a class, resumable at any moment."""

from grader.store.derived import Rubric, rescored, rubric_from, rubric_of
from grader.store.digests import conditions_of, content_digest
from grader.store.facts import HandedIn, Kept, Override, Published, Seat
from grader.store.store import Store, open_store

__all__ = [
    "HandedIn", "Kept", "Override", "Published", "Rubric", "Seat", "Store", "conditions_of", "content_digest",
    "open_store", "rescored", "rubric_from", "rubric_of",
]  # fmt: skip
