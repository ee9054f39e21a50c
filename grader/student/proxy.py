"""The proxy that checks talk to: a student's functions and classes, answered with plain values.

``student.attention_scores(q, k)`` asks the worker and returns what came back. Where an argument requires
grad on our side, so does the result: its backward is a second question to the same worker.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence
from typing import Any

import torch

from grader.errors import (
    LostAhead,
    StudentError,
    StudentMissing,
    StudentOutOfMemory,
    StudentRaised,
    StudentStub,
    StudentTimedOut,
    WorkerDied,
)
from grader.loading import Loaded, Loading
from grader.model.course import Assignment, Limits, Text
from grader.model.submission import Output, Place
from grader.rpc.frames import Frame
from grader.rpc.values import Handle
from grader.sandbox import Session, SessionEnded, SessionTimedOut
from grader.student.ahead import Ahead, Script
from grader.student.allowance import Allowance, Ends, add_sizes
from grader.student.calls import Call, exception_facts
from grader.student.gradients import Asked, differentiable
from grader.student.log import Answered, Raised, answered
from grader.student.objects import StudentObject
from grader.student.questions import Question, Questions


class Student:
    """One submission in its worker. Attributes are the contract's names; everything else ends with ``_``."""

    def __init__(
        self,
        loading: Loading,
        assignment: Assignment,
        script: Script | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        """``allowance``: of an earlier run of the same submission, which goes on counting."""
        self._limits: Limits = assignment.limits
        self._loading = loading
        self._session: Session | None = None
        self._loaded: Loaded | None = None
        self._generation = 0
        self._questions = Questions()
        self._ahead = Ahead(script or {})
        self.allowance_ = allowance or Allowance(assignment.limits)
        self._ends = Ends()
        self._outputs: list[Output] = []
        self._names = {required.name for required in assignment.functions}
        self.last_called_: str | None = None
        self.log_: list[Answered] = []

    # -- what checks use ------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"{name!r} is not in the contract of this assignment")

        def ask(*args: Any, **named: Any) -> Any:
            return self.call_({"name": name}, args, named, owner=name, hold=name[0].isupper()).value

        return ask

    def watch(self, name: str, *args: Any, **named: Any) -> Call:
        """Call a function and look at its arguments afterwards."""
        return self.call_({"name": name}, args, named, owner=name, watch=True)

    def seed(self, number: int) -> None:
        """Seed torch, NumPy and random in the worker."""
        self.ask_(self._questions.seed(number))

    # -- what the machinery uses ----------------------------------------------------------------

    def load_(self) -> Loaded:
        """Load the student's code (again, in a fresh worker, where the last one is gone)."""
        if self._session is None:
            self._generation += 1
            self._session, self._loaded = self._loading.run()
        assert self._loaded is not None
        return self._loaded

    def begin_(self, tests: Sequence[tuple[int, str]]) -> None:
        """The first of these tests (number and id) is on, the next come after it. What they ask may go out now."""
        self.last_called_, self.log_ = None, []
        self._questions.begin(tests[0][0])
        if self._session is not None:
            self._ahead.begin(self._session, [test for _, test in tests], self._can_answer)

    def answered_(self, test: str) -> bytes | None:
        """A digest of the answers to all that this test is foreseen to ask; None where not all were sent or came."""
        foreseen = self._ahead.whole(test)
        if self._session is None or not foreseen or not all(self._can_answer(q.owner) for q, _ in foreseen):
            return None
        with self.allowance_.waiting():
            limit, left = self.allowance_.call_s, self.allowance_.left_s
            frames = self._session.gather(foreseen[0][1], foreseen[-1][1], limit, left)
        digest = hashlib.blake2b(digest_size=32)
        for frame in frames:
            digest.update(struct.pack("<QQ", len(frame.head), len(frame.payload)))
            digest.update(frame.head)
            digest.update(frame.payload)
        return digest.digest() if frames else None

    def asked_as_foreseen_(self, test: str, whole: bool) -> bool:
        """Whether the test that is on asked nothing but what it was foreseen to ask; ``whole``: and all of that."""
        return self._session is not None and self._ahead.asked_as_foreseen(test, whole)

    def recall_(self, test: str, log: Sequence[Answered], last_called: str | None) -> None:
        """As if this test had asked: its answers are those of this log."""
        assert self._session is not None
        for question, _ in self._ahead.whole(test):
            self._ends.answered(question.owner)
            self._ahead.take(question)
        add_sizes(self.allowance_, self._ahead.owners, self._session.sizes())
        self.last_called_, self.log_ = last_called, list(log)

    def _can_answer(self, owner: str) -> bool:
        found = self._loaded.definition(owner) if self._loaded else None
        return (found is None or found.state == "present") and self._refusal(owner) is None

    def _refusal(self, owner: str) -> StudentError | None:
        return self.allowance_.refusal(owner) or self._ends.refusal(owner)

    @property
    def questions_(self) -> Questions:
        return self._questions

    @property
    def generation_(self) -> int:
        return self._generation

    @property
    def output_(self) -> Output:
        """What the student's code printed, over all its workers."""
        outputs = [*self._outputs, *([self._session.output()] if self._session else [])]
        return Output(
            "".join(o.stdout for o in outputs)[: 2 * self._limits.output_kib << 10],
            "".join(o.stderr for o in outputs)[: 2 * self._limits.output_kib << 10],
            any(o.truncated for o in outputs),
        )

    def close_(self) -> None:
        self._drop_session()

    def place_of_(self, name: str | None) -> Place | None:
        found = self._loaded.definition(name) if self._loaded and name else None
        return found.place if found else None

    def call_(
        self,
        target: dict[str, Any],
        args: Sequence[Any],
        named: dict[str, Any],
        *,
        owner: str,
        watch: bool = False,
        hold: bool = False,
        graph: bool = False,
    ) -> Call:
        """One call across the wall, logged; see the module docstring for gradients."""
        self.last_called_ = owner
        try:
            call = self._called(target, args, named, owner=owner, watch=watch, hold=hold, graph=graph)
        except StudentError as error:
            kind = error.kind if isinstance(error, StudentRaised) else type(error).__name__
            self.log_.append(Answered(owner, Raised(kind)))
            raise
        after = (*call.inputs, *call.keywords.values()) if watch else ()
        self.log_.append(answered(owner, Handle(0) if hold else call.value, (*args, *named.values()), after))
        return call

    def _called(
        self,
        target: dict[str, Any],
        args: Sequence[Any],
        named: dict[str, Any],
        *,
        owner: str,
        watch: bool,
        hold: bool,
        graph: bool,
    ) -> Call:
        self._refuse_missing(owner)
        question = self._questions.call(owner, target, args, named, watch=watch, hold=hold, graph=graph)
        asked = Asked(self, question)
        if (graph or question.leaves) and torch.is_grad_enabled():
            value = differentiable(asked, question.leaves)
        else:
            value = asked.forward().value
        if hold:
            if not isinstance(value, Handle):
                raise WorkerDied(owner, "the answer was no object")
            value = StudentObject(self, value, owner, self._generation)
        return Call(value, asked.after[0], asked.after[1])

    def ask_(self, question: Question) -> Frame:
        """One question under its limit; every way it can end without a value is an exception."""
        owner = question.owner
        refusal = self._refusal(owner)
        if refusal is not None:
            refusal.place = self.place_of_(owner)
            raise refusal
        with self.allowance_.waiting():
            self.load_()
        assert self._session is not None
        limit, left = self.allowance_.call_s, self.allowance_.left_s
        number = self._ahead.take(question)
        if number is None:
            number = self._session.send(question.data)
            self._ahead.owners[number] = owner
        try:
            with self.allowance_.waiting():
                frame = self._session.answer(number, limit, None, left)
        except SessionTimedOut as late:
            self.allowance_.struck(self._ahead.owners.get(late.number, owner))
            self._end_session(late.number, number)
            struck = limit if limit <= left else self._limits.submission_s
            raise StudentTimedOut(owner, struck, self.place_of_(owner)) from None
        except SessionEnded as ended:
            self._ends.ended(self._ahead.owners.get(ended.number, owner), ended.how)
            self._end_session(ended.number, number)
            raise WorkerDied(owner, ended.how, self.place_of_(owner)) from None
        add_sizes(self.allowance_, self._ahead.owners, self._session.sizes())
        self._ends.answered(owner)
        if "raised" in frame.header:
            raise self._raised(frame.header["raised"], owner)
        return frame

    def _end_session(self, at: int, awaited: int) -> None:
        """It ended at the question ``at``. Raises ``LostAhead`` where that is not the one that is on."""
        if at != awaited:
            self._ahead.bar(at)
        self._drop_session()
        if at != awaited:
            raise LostAhead

    def protocol_broken_(self, owner: str, why: str) -> WorkerDied:
        self._drop_session()
        return WorkerDied(owner, f"it broke the protocol: {why}", self.place_of_(owner))

    def _refuse_missing(self, name: str) -> None:
        found = self.load_().definition(name)
        if found is None or found.state == "present":
            return
        if found.state == "stub":
            raise StudentStub(name, "still the untouched stub", found.place)
        raise StudentMissing(name, found.note or not_callable(name))

    def _raised(self, facts: Any, owner: str) -> Exception:
        kinds, message, place, innermost, memory = exception_facts(facts)
        if memory:
            return StudentOutOfMemory(owner, message, place or self.place_of_(owner))
        if "NotImplementedError" in kinds and innermost:
            return StudentStub(owner, message, place)
        return StudentRaised(owner, kinds, message, place)

    def _drop_session(self) -> None:
        if self._session is not None:
            self._session.close()
            add_sizes(self.allowance_, self._ahead.owners, self._session.sizes())
            self._ahead.forget()
            self._outputs.append(self._session.output())
            self._session = None


def not_callable(name: str) -> Text:
    """What is said of a required name that stands for no function."""
    return Text(
        en=f"{name} is in the file, but it cannot be called",
        zh=f"文件里有 {name}，但它不能被调用",
    )
