"""``grader merge``: the parts of a class, graded apart, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from grader.commands import batch
from grader.commands.class_notebooks import write_pages
from grader.commands.class_people import request_of
from grader.commands.class_shown import handed_in_only
from grader.commands.console import note, say
from grader.commands.exits import Exit, exit_for
from grader.commands.setting import Setting
from grader.errors import UsageError
from grader.store import HandedIn, Seat, Store, open_store

_SAME = ("assignment", "seed", "rubric", "lang", "term", "term_name")


def run(setting: Setting, out: Path, parts: Sequence[Path]) -> Exit:
    """Copy what each part holds into a new folder; the parts stay as they are.

    Raises:
        UsageError: parts that do not belong together, overlap or lack one.
    """
    folder = (setting.folder / out).resolve()
    handed_in: dict[str, HandedIn] = {}
    seats: list[Seat] = []
    requests: list[batch.Request] = []
    with open_store(folder, new=True) as whole:
        if whole.fact("assignment") is not None:
            raise UsageError(f"{out} holds grades already; merge into a new folder")
        with whole.transaction():
            for part in parts:
                with open_store(setting.folder / part) as store:
                    requests.append(request_of(store, setting.folder / part))
                    _take(whole, store, part, handed_in)
                    seats += store.seats()
            _check_complete(requests)
            order = sorted(handed_in.values(), key=lambda each: each.submission)
            whole.put_class(order, seats)
            request = replace(requests[0], out=folder, shard="")
            whole.note({"request": request.as_json()})
        batch.write_class(whole, request, request.feedback or setting.course().before_deadline)
        if request.pages:
            write_pages(setting, whole, folder, pseudonyms=request.pseudonyms)
        statuses = {d["status"] for d in handed_in_only(whole)}
    say(f"{len(handed_in)} from {len(parts)} parts: {out / 'grades.csv'}")
    return exit_for(statuses)


def _take(whole: Store, store: Store, part: Path, taken: dict[str, HandedIn]) -> None:
    facts = {name: store.fact(name) or "" for name in _SAME}
    for name, value in facts.items():
        held = whole.fact(name)
        if held is not None and held != value:
            raise UsageError(f"{part} was graded with another {name} than the parts before it")
    whole.note(facts)
    for each in store.handed_in():
        if each.submission in taken:
            raise UsageError(f"{part} holds {each.submission!r}, which another part holds too")
        if taken and next(iter(taken.values())).conditions != each.conditions:
            raise UsageError(f"{part} was graded under other conditions (checks, limits, versions) than the others")
        whole.keep(store.result(each.submission, each.conditions, each.digest))
        taken[each.submission] = each
    for word in store.overrides():
        whole.override(word)
    if store.published():
        raise UsageError(f"{part} is published already; merge first, then publish the whole")


def _check_complete(requests: Sequence[batch.Request]) -> None:
    shards = sorted(request.shard for request in requests)
    count = {shard.partition("/")[2] for shard in shards}
    if shards and all(shards) and (len(count) != 1 or len(set(shards)) != int(count.pop())):
        raise UsageError(f"these are not all parts of one class: {', '.join(shards)}")
    if not all(shards):
        note("some of these were not made with --shard")
