"""Gets a student's code loaded, whatever it does at import, and tells what was found where.

Statements are announced before they run. One that hangs or ends the process is left out, and the load goes
on in a fresh worker without it: at most five times, all within one limit. After that, imports and definitions alone
are tried.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from grader import intake, whereabouts
from grader.errors import GraderFault
from grader.model.course import Assignment, Course, Text
from grader.model.submission import Definition, Flag, Place, Remark, Submission
from grader.places import read_place
from grader.rpc.frames import pack
from grader.sandbox import Sandbox, Session, SessionEnded, SessionTimedOut

_RESTARTS: Final = 5
_BEFORE_ANY: Final = -1
_TELL_S: Final = 1.0  # a worker that does not say by then what it saw keeps it to itself
_FLAGS: Final = frozenset({"does_not_import", "name_rebound", "stub_after_solution", "given_code"})
_NAME_CAP: Final = 200  # characters of an identifier that anything is said about


@dataclass(frozen=True, slots=True)
class Seen:
    """Something the worker says it saw the code do; ``kind`` is "forbidden_call" or one of the attempts."""

    kind: str
    what: str
    count: int
    place: Place | None


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the load left behind. ``trouble`` is the one sentence that stands at the top of the report."""

    definitions: tuple[Definition, ...]
    remarks: tuple[Remark, ...] = ()
    flags: tuple[Flag, ...] = ()
    library_use: tuple[tuple[str, Place | None], ...] = ()
    trouble: Text | None = None

    def definition(self, name: str) -> Definition | None:
        return next((d for d in self.definitions if d.name == name), None)


class Loading:
    """Loads one submission, again and again where its workers end; remembers what had to be left out."""

    def __init__(self, sandbox: Sandbox, submission: Submission, assignment: Assignment, course: Course) -> None:
        self._sandbox = sandbox
        self._assignment = assignment
        self._course = course
        self._question = _question(submission, assignment)
        self._left_out: dict[str, str] = {}  # statement number -> why
        self._session: Session | None = None  # the latest with the code loaded
        self._seen: dict[tuple[str, str], Seen] = {}
        self._given_up = False
        self.protocol_breaks: list[str] = []  # how workers ended while loading, where that was by a broken protocol

    def run(self) -> tuple[Session, Loaded]:
        """A worker with the student's code loaded; where no worker gets through, one that holds nothing of it.

        Raises ``GraderFault`` where not even an empty file can be loaded: then the code is not to blame.
        """
        if self._given_up:
            return self._with_nothing()
        ends = time.monotonic() + self._assignment.limits.load_s
        for attempt in range(_RESTARTS + 2):
            if attempt > _RESTARTS or time.monotonic() > ends:
                self._question["definitions_alone"] = True
            session = self._sandbox.open(self._assignment.limits)
            announced: list[tuple[int, Place | None]] = [(_BEFORE_ANY, None)]
            answer, why = self._attempt(session, announced, ends)
            if answer is not None:
                self._session = session
                self._note(answer)
                return session, read_loaded(answer, self._assignment, self._course)
            session.close()
            index, _ = announced[-1]
            if index == _BEFORE_ANY or str(index) in self._left_out or "definitions_alone" in self._question:
                break
            self._left_out[str(index)] = why
        self._given_up = True
        return self._with_nothing()

    def _with_nothing(self) -> tuple[Session, Loaded]:
        """A worker that was given an empty file, and what is said of a file that cannot be loaded."""
        session = self._sandbox.open(self._assignment.limits)
        question = {**self._question, "chunks": [], "modules": {}, "skip": {}, "definitions_alone": False}
        limit = self._assignment.limits.load_s
        try:
            answer = session.answer(session.send(pack(question)), limit, None, limit).header.get("reply")
        except (SessionTimedOut, SessionEnded) as ended:
            session.close()
            raise GraderFault(f"a worker cannot load even an empty file: {ended}") from None
        if not isinstance(answer, dict):
            session.close()
            raise GraderFault("a worker cannot load even an empty file: the loader failed")
        absent = tuple(Definition(f.name, "missing", note=_CANNOT_LOAD) for f in self._assignment.functions)
        return session, Loaded(absent, trouble=_CANNOT_LOAD)

    def seen(self) -> tuple[Seen, ...]:
        """What the code was seen doing, as far as its workers lived to tell."""
        if self._session is not None:
            try:
                question = pack({"op": "sightings"})
                self._note(
                    self._session.answer(self._session.send(question), _TELL_S, None, _TELL_S).header.get("reply")
                )
            except (SessionTimedOut, SessionEnded):
                pass
        return tuple(self._seen.values())

    def _note(self, answer: Any) -> None:
        told = answer.get("sightings") if isinstance(answer, dict) else None
        for seen in (read_seen(raw) for raw in _dicts(told)[:40]):
            known = self._seen.get((seen.kind, seen.what))
            if known is None or known.count < seen.count:
                self._seen[seen.kind, seen.what] = seen

    def _attempt(
        self, session: Session, announced: list[tuple[int, Place | None]], ends: float
    ) -> tuple[dict[str, Any] | None, str]:
        """One load: its answer, or why there is none. Each statement may take as long as a call."""

        def hear(event: dict[str, Any]) -> None:
            index = event.get("index")
            announced.append((index if type(index) is int else _BEFORE_ANY, read_place(event)))

        limits = self._assignment.limits
        left = max(ends - time.monotonic(), limits.call_again_s)
        question = {**self._question, "skip": self._left_out}
        try:
            frame = session.answer(session.send(pack(question)), min(limits.call_s, left), hear, left)
            if "raised" in frame.header and len(announced) == 1:
                session.close()
                raise GraderFault(f"the loader itself failed: {str(frame.header['raised'])[:400]}")
            answer = frame.header.get("reply")
            return (answer, "") if isinstance(answer, dict) else (None, "ends the process")
        except SessionTimedOut:
            return None, "hangs"
        except SessionEnded as ended:
            if "broke the protocol" in ended.how:
                self.protocol_breaks.append(ended.how)
            return None, "ends the process"


_CANNOT_LOAD: Final = Text(
    en="the file could not be loaded: its top-level code hangs or ends the program, even without the lines "
    'that did so first; move such code into functions or below `if __name__ == "__main__":`',
    zh="文件无法加载：顶层代码停不下来或会结束程序，去掉最先出问题的几行之后仍然如此；"
    '请把这些代码移进函数，或放到 `if __name__ == "__main__":` 之下',
)


def _question(submission: Submission, assignment: Assignment) -> dict[str, Any]:
    """What the worker is told: the sources, and the contract's names. Nothing of it is secret."""
    stub = intake.stub_text(assignment)
    return {
        "op": "load",
        "chunks": [
            {"source": c.source, "file": c.place.file, "line": c.place.line, "cell": c.place.cell}
            for c in submission.chunks
        ],
        "modules": intake.modules_of(submission),
        "module_name": PurePosixPath(assignment.file).stem,
        "required": [{"name": f.name, "aliases": list(f.aliases), "stub": stub} for f in assignment.functions],
        "forbidden": list(assignment.forbidden.calls),
    }


def read_loaded(answer: dict[str, Any], assignment: Assignment, course: Course) -> Loaded:
    """The worker's report on a load, read as the hostile input it is."""
    found = {d["name"]: d for d in _dicts(answer.get("definitions")) if isinstance(d.get("name"), str)}
    names = _names(answer.get("names"))
    inner = _names(answer.get("inner"))
    raw = answer.get("signatures")
    signatures = {k: _names(v) for k, v in raw.items()} if isinstance(raw, dict) else {}
    definitions = tuple(
        _definition(required.name, found.get(required.name, {}), names, inner) for required in assignment.functions
    )
    remarks = [r for d in _dicts(answer.get("remarks")) if (r := _remark(d))]
    flags = tuple(
        Flag(d["kind"], str(d.get("detail"))[:300], read_place(d))
        for d in _dicts(answer.get("flags"))[:40]
        if isinstance(d.get("kind"), str) and d["kind"] in _FLAGS
    )
    uses = tuple((str(d.get("name"))[:120], read_place(d)) for d in _dicts(answer.get("uses")))
    remarks += whereabouts.remarks(assignment, course, definitions, names, signatures)
    trouble = next((r.text for r, d in zip(remarks, _dicts(answer.get("remarks")), strict=False)
                    if d.get("kind") == "syntax_error"), None)  # fmt: skip
    return Loaded(definitions, tuple(remarks), flags, uses, trouble)


def read_seen(raw: dict[str, Any]) -> Seen:
    """A sighting as the worker tells it: hostile input, believed as a note for people."""
    count = raw.get("count")
    return Seen(
        str(raw.get("kind"))[:40],
        str(raw.get("what"))[:160],
        count if type(count) is int and 0 < count <= 1_000_000 else 1,
        read_place(raw),
    )


def _definition(name: str, raw: dict[str, Any], names: list[str], inner: list[str]) -> Definition:
    state = raw.get("state")
    if state not in ("present", "stub", "not_callable"):
        return Definition(name, "missing", note=whereabouts.missing(name, names, inner))
    bound = raw.get("bound_as")
    return Definition(name, state, read_place(raw), bound if isinstance(bound, str) else "")


def _remark(raw: dict[str, Any]) -> Remark | None:
    en, zh = raw.get("text_en"), raw.get("text_zh")
    if not isinstance(en, str) or not isinstance(zh, str):
        return None
    return Remark(Text(en[:2000], zh[:2000]), read_place(raw))


def _dicts(raw: Any) -> list[dict[str, Any]]:
    return [d for d in raw[:400] if isinstance(d, dict)] if isinstance(raw, list) else []


def _names(raw: Any) -> list[str]:
    if not isinstance(raw, list):
        return []
    return [n for n in raw[:400] if isinstance(n, str) and len(n) <= _NAME_CAP and n.isidentifier()]
