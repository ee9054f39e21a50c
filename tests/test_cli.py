"""The command line: exit codes, streams, files. The engine is a fake that answers with reports made by hand."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from grader.cli import Language, default_language, main, options_first
from grader.commands.class_files import FILES
from grader.commands.folder_names import folder_names
from grader.commands.setting import Ports
from grader.document import to_document
from grader.errors import CourseError, GraderFault, NotGradable, UsageError, WallMissing
from grader.model.course import Assignment, Course, Criterion, Required, Text
from grader.model.outcome import Outcome, Status
from grader.model.report import GradeReport, Isolation
from grader.model.submission import Definition, Job, Place, SourceFile, Submission
from grader.proof import Matrix, Naming, Plan, Proof, Room, Row, Sheet
from grader.sandbox import effects
from tests.reports.samples import graded, result

STUB = "def attention_scores(q, k):\n    raise NotImplementedError\n"


def hints(name: str) -> tuple[Text, ...]:
    return tuple(Text(f"{name} hint {i}", f"{name} 提示 {i}") for i in (1, 2, 3))


def exercise(root: Path, name: str) -> Assignment:
    criteria = [("scale", 2), ("mask_blocks", 3), ("weighted_values", 15)]
    folder = root / "assignments" / name
    return Assignment(
        name=name,
        title=Text(name.title(), "注意力"),
        file=f"{name}.py",
        functions=(Required("attention_scores"),),
        criteria=tuple(Criterion(c, Fraction(m), Text(f"Title {c}", f"标题 {c}"), hints(c)) for c, m in criteria),
        folder=folder,
        reference=None,
        digest=64 * "d",
    )


@dataclass
class Rooms:
    """A course of two assignments and an engine that answers with ``answer(job)``."""

    root: Path
    answer: Callable[[Job], GradeReport]
    jobs: list[Job] = field(default_factory=list)
    configs: list[dict[str, Any]] = field(default_factory=list)
    feedback: str = "criteria"
    course_error: Exception | None = None
    submission: Submission | Exception | None = None
    against: tuple[str, ...] = ()
    plans: list[tuple[Plan, Path | None]] = field(default_factory=list)
    isolation: effects.Proof | Exception = field(default_factory=effects.Proof)

    def map(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        for job in jobs:
            self.jobs.append(job)
            yield job, to_document(self.answer(job))

    def close(self) -> None:
        """Nothing was started."""

    def ports(self) -> Ports:
        return Ports(
            self._find_root, self._course, self._submission, self._engine, self._engine, self._validate, self._examine,
            self._engine,
        )  # fmt: skip

    def _find_root(self, start: Path) -> Path:
        if not start.resolve().is_relative_to(self.root.resolve()):
            raise UsageError(f"no course above {start}")
        return self.root

    def _course(self, root: Path, reference: Path | None) -> Course:
        if self.course_error:
            raise self.course_error
        both = tuple(exercise(root, name) for name in ("attention", "by_hand"))
        return Course(Text("Course", "课程"), ("en", "zh"), both, before_deadline=self.feedback)

    def _submission(self, path: Path, assignment: Assignment, name: str, students: tuple[str, ...]) -> Submission:
        if isinstance(self.submission, Exception):
            raise self.submission
        if self.submission is not None:
            return self.submission
        data = (path if path.is_file() else path / assignment.file).read_bytes()
        files = (SourceFile("attention.py", hashlib.sha256(data).hexdigest(), data),)
        return Submission(name, students, "attention.py", "python", (), files)

    def _validate(self, course: Course, names: Any, engine: Any, plan: Plan, right: Path | None) -> Iterator[Sheet]:
        self.plans.append((plan, right))
        problems, remarks = tuple(Text(p) for p in self.against), (Text("one is close", "有一处接近"),)
        rows = (
            Row("no_scale", Text("No root. It matters.", "没有根号。"), ("scale",), {"scale": 2.0}, (("no_scale",),)),
            Row("odd", Text("Odd | even?"), ("scale",), {"mask_blocks": 1.5}, (("a", "b"), ("no_scale",))),
        )
        criteria = {"scale": Text("Title scale", "标题"), "mask_blocks": Text("Title mask", "遮罩")}
        yield Sheet(
            "attention",
            (Proof("attention", Text("it is fair", "公平"), problems, remarks),),
            Matrix(criteria, rows),
            Naming(2, 1, {("a", "b"): ()}, {("a", "c"): (("d",),)}),
            Room("right_loops", 0.25, "checks.py::test_a", "no_scale", 40.0, "checks.py::test_b"),
            {"reference": 1.25},
        )

    def _examine(self, environment: Mapping[str, str], guarded: Sequence[Path]) -> effects.Examination:
        if isinstance(self.isolation, Exception):
            raise self.isolation
        return effects.Examination(self.isolation, 2.25)

    def _engine(self, config: dict[str, Any]) -> AbstractContextManager[Any]:
        self.configs.append(config)
        return nullcontext(self)


def report_for(job: Job, **more: Any) -> GradeReport:
    """What a grading of ``job`` could come to."""
    data = Path(job.path).read_bytes() if Path(job.path).is_file() else b""
    sha = hashlib.sha256(data).hexdigest()
    submission = {
        "id": job.submission_id,
        "students": list(job.students),
        "fingerprint": f"{sha[:4]}-{sha[4:8]}",
        "files": [{"path": "attention.py", "sha256": sha}],
        "origin": job.path,
    }
    facts = {"assignment": job.assignment, "submission": submission, "seed": job.seed, "lang": job.lang}
    if job.public_only:
        facts["tests"] = (result("scale", visibility="public"),)
    return graded(**(facts | more))


@pytest.fixture
def rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rooms:
    for name in ("attention", "by_hand"):
        (tmp_path / "assignments" / name).mkdir(parents=True)
        (tmp_path / "assignments" / name / f"{name}.py").write_text(STUB)
    (tmp_path / "assignments" / "course.yaml").write_text("title: x\n")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "mine.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path / "work")
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return Rooms(tmp_path, report_for)


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(rooms: Rooms, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> Ran:
        code = main([str(argument) for argument in arguments], rooms.ports())
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


class TestListAndHint:
    def test_list_shows_marks_and_how_far_each_file_has_come(self, run: Run, rooms: Rooms) -> None:
        (rooms.root / "assignments" / "by_hand" / "by_hand.py").write_text("def f():\n    return 1\n")
        ran = run("list")
        assert ran.code == 0
        assert "attention  Attention  20 marks  1 still to write" in ran.out
        assert "by_hand    By_Hand    20 marks  written" in ran.out

    def test_a_file_in_the_working_folder_goes_first(self, run: Run, rooms: Rooms) -> None:
        Path("attention.py").write_text("done = True\n")
        assert "attention  Attention  20 marks  written" in run("list").out

    def test_a_notebook_counts_as_a_file_does(self, run: Run, rooms: Rooms) -> None:
        for source, told in (("def f():\n    return 1", "written"), (STUB * 2, "2 still to write")):
            sheet = {"cells": [{"cell_type": "code", "input": source.splitlines(True)}]}
            for whole in ({"cells": [{"cell_type": "code", "source": source}]}, {"worksheets": [sheet]}):
                Path("attention.ipynb").write_text(json.dumps(whole))
                assert f"attention  Attention  20 marks  {told} (attention.ipynb)" in run("list").out
        Path("attention.ipynb").write_text('{"cells": [')
        assert "attention.ipynb cannot be read" in run("list").out

    def test_hint_without_criterion_lists_the_rubric(self, run: Run) -> None:
        ran = run("hint", "attention")
        assert [line.split()[0] for line in ran.out.splitlines()[1:4]] == ["scale", "mask_blocks", "weighted_values"]
        assert "grader hint attention scale" in ran.out

    def test_hints_come_one_by_one_and_name_the_next(self, run: Run) -> None:
        first = run("hint", "attention", "scale")
        assert "scale hint 1" in first.out
        assert "hint 2" not in first.out
        assert "grader hint attention scale --step 2" in first.out
        last = run("hint", "attention", "scale", "--step", 3)
        assert "scale hint 3" in last.out
        assert "--step" not in last.out

    def test_hints_speak_chinese_wherever_the_option_stands(self, run: Run) -> None:
        assert "scale 提示 1" in run("hint", "attention", "scale", "--lang", "zh").out
        assert "scale 提示 1" in run("--lang=zh", "hint", "attention", "scale").out

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("hint", "atention"), "did you mean 'attention'"),
            (("hint", "attention", "scael"), "did you mean 'scale'"),
            (("hint", "attention", "scale", "--step", "4"), "has 3 hints"),
            (("hint", "attention", "scale", "--step", "0"), "has 3 hints"),
            (("hint", "attention", "scale", "--step", "x"), "--step"),
            (("hint",), "NAME"),
            (("nonsense",), "nonsense"),
            (("list", "--lang", "fr"), "fr"),
        ],
    )
    def test_usage_errors_are_one_line_and_code_2(self, run: Run, arguments: tuple[str, ...], said: str) -> None:
        ran = run(*arguments)
        assert ran.code == 2
        assert said in ran.err
        assert "Traceback" not in ran.err
        assert ran.out == ""


class TestCheck:
    def test_ends_with_what_it_does_not_cover_the_graded_lines_and_the_fingerprint(
        self, run: Run, rooms: Rooms
    ) -> None:
        found = (
            Definition("attention_scores", "present", Place("attention.py", 4)),
            Definition("attention_weights", "missing", None, note=Text("did you mean 'attention_weight'?")),
        )
        rooms.answer = lambda job: report_for(job, definitions=found)
        ran = run("check", "attention")
        assert ran.code == 0
        end = ran.out[ran.out.index("Public checks touch") :]
        assert "Public checks touch 1 of 3 criteria." in end
        assert "Not touched: mask_blocks, weighted_values." in end
        assert "attention_scores  attention.py:4" in end
        assert "attention_weights  not found: did you mean 'attention_weight'?" in end
        sha = hashlib.sha256(STUB.encode()).hexdigest()
        assert f"{sha[:4]}-{sha[4:8]}" in end

    def test_runs_public_checks_alone_and_shows_no_marks(self, run: Run, rooms: Rooms) -> None:
        ran = run("check", "attention")
        assert rooms.jobs[0].public_only
        assert "17" not in ran.out
        assert "after release" not in ran.out

    def test_a_failed_check_is_code_1_with_its_note(self, run: Run, rooms: Rooms) -> None:
        failed = (result("scale", 0, Outcome.FAILED, visibility="public", note=Text("too large")),)
        rooms.answer = lambda job: report_for(job, tests=failed)
        ran = run("check", "attention")
        assert ran.code == 1
        assert "too large" in ran.out

    def test_no_checks_at_all_is_no_pass(self, run: Run, rooms: Rooms) -> None:
        rooms.answer = lambda job: report_for(job, tests=())
        assert run("check", "attention").code == 1

    def test_our_own_fault_is_code_3(self, run: Run, rooms: Rooms) -> None:
        rooms.answer = lambda job: report_for(job, status=Status.GRADER_FAULT, score=None, reason="ours")
        assert run("check", "attention").code == 3

    def test_the_course_folder_holds_the_file(self, run: Run, rooms: Rooms) -> None:
        run("check", "attention")
        assert Path(rooms.jobs[0].path) == rooms.root.resolve() / "assignments" / "attention" / "attention.py"

    def test_the_working_folder_goes_first_and_the_other_is_named(self, run: Run, rooms: Rooms) -> None:
        Path("attention.py").write_text("mine")
        ran = run("check", "attention")
        assert Path(rooms.jobs[0].path) == Path("attention.py").resolve()
        assert "is left alone" in ran.err

    def test_without_a_name_the_only_file_here_is_meant(self, run: Run, rooms: Rooms) -> None:
        Path("by_hand.py").write_text("mine")
        assert run("check").code == 0
        assert rooms.jobs[0].assignment == "by_hand"

    def test_a_file_tells_its_assignment_by_name_or_by_option(self, run: Run, rooms: Rooms) -> None:
        Path("attention.ipynb").write_text("{}")
        run("check", "attention.ipynb")
        run("check", "mine.py", "-a", "by_hand")
        assert [(job.assignment, Path(job.path).name) for job in rooms.jobs] == [
            ("attention", "attention.ipynb"),
            ("by_hand", "mine.py"),
        ]

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("check",), "say what to check"),
            (("check", "mine.py"), "add -a NAME"),
            (("check", "atention"), "did you mean 'attention'"),
            (("check", "gone.py", "-a", "attention"), "neither a file nor an assignment"),
            (("check", "--course", "nowhere"), "assignments/course.yaml"),
        ],
    )
    def test_what_cannot_be_found_is_said(self, run: Run, arguments: tuple[str, ...], said: str) -> None:
        ran = run(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err

    def test_of_two_forms_side_by_side_the_newer_is_checked_and_the_other_named(self, run: Run, rooms: Rooms) -> None:
        Path("attention.py").write_text("mine")
        Path("attention.ipynb").write_text(json.dumps({"cells": []}))
        for newer, older in (("attention.ipynb", "attention.py"), ("attention.py", "attention.ipynb")):
            os.utime(older, (1, 1))
            os.utime(newer, (2, 2))
            ran = run("check", "attention")
            assert Path(rooms.jobs[-1].path).name == newer
            assert f"{older} lies beside it and is left alone: it is older" in ran.err

    @pytest.mark.parametrize("written", ["attention.py", "attention.ipynb"])
    def test_of_two_forms_one_is_untouched_the_written_one_is_checked(
        self, run: Run, rooms: Rooms, written: str
    ) -> None:
        stub = rooms.root / "assignments/attention/attention.py"
        cell = {"cell_type": "code", "source": stub.read_text()}
        Path("attention.ipynb").write_text(json.dumps({"cells": [cell]}))
        Path("attention.py").write_text(stub.read_text())
        Path(written).write_text(Path(written).read_text().replace("raise NotImplementedError", "return 1"))
        os.utime(written, (1, 1))
        ran = run("check", "attention")
        assert Path(rooms.jobs[0].path).name == written
        assert "nothing is written in it yet" in ran.err

    def test_two_untouched_forms_need_no_word(self, run: Run, rooms: Rooms) -> None:
        stub = rooms.root / "assignments/attention/attention.py"
        (stub.parent / "attention.ipynb").write_text(
            json.dumps({"cells": [{"cell_type": "code", "source": stub.read_text().splitlines(True)}]})
        )
        assert "left alone" not in run("check", "attention").err


class TestGrade:
    def test_the_graded_notebook_as_a_page(self, run: Run, rooms: Rooms) -> None:
        cells = {"cells": [{"cell_type": "code", "source": STUB}, {"cell_type": "markdown", "source": "**mine**"}]}
        data = json.dumps(cells).encode()
        Path("work.ipynb").write_bytes(data)
        files = (SourceFile("work.ipynb", hashlib.sha256(data).hexdigest(), data),)
        rooms.submission = Submission("work", (), "work.ipynb", "notebook", (), files)
        rooms.answer = lambda job: replace(report_for(job), submission={"id": "work", "files": [
            {"path": file.path, "sha256": file.sha256} for file in rooms.submission.files]})  # fmt: skip
        assert run("grade", "work.ipynb", "-a", "attention", "--notebook", "page.html").code == 0
        page = Path("page.html").read_text(encoding="utf-8")
        assert "<strong>mine</strong>" in page
        assert "attention_scores(q, k)" in page

    def test_a_page_of_what_is_no_notebook_is_refused_after_the_report(self, run: Run, rooms: Rooms) -> None:
        Path("work.py").write_text(STUB)
        ran = run("grade", "work.py", "-a", "attention", "--notebook", "page.html")
        assert ran.code == 2
        assert "no notebook" in ran.err
        assert "attention" in ran.out
        assert not Path("page.html").exists()

    def test_json_to_stdout_is_one_document_and_nothing_else(self, run: Run, rooms: Rooms) -> None:
        ran = run("grade", "mine.py", "-a", "attention", "--json", "-")
        assert ran.code == 0
        document = json.loads(ran.out)
        assert document["score"] == 17.0
        assert document["seed"] == rooms.jobs[0].seed
        assert "mine: 17 / 20" in ran.err

    def test_the_seed_is_fresh_and_secret_and_its_digest_is_said_first(self, run: Run, rooms: Rooms) -> None:
        ran = run("grade", "mine.py", "-a", "attention", "--json", "-")
        run("grade", "mine.py", "-a", "attention", "--json", "-")
        seed, other = rooms.jobs[0].seed, rooms.jobs[1].seed
        assert seed != other
        assert 0 <= seed < 2**62
        assert ran.err.splitlines()[0] == f"seed sha256 {hashlib.sha256(str(seed).encode()).hexdigest()}"
        assert str(seed) not in ran.err

    def test_a_seed_given_is_used(self, run: Run, rooms: Rooms) -> None:
        run("grade", "mine.py", "-a", "attention", "--seed", 7)
        assert rooms.jobs[0].seed == 7

    def test_formats_go_to_files_and_the_terminal_shows_the_report(self, run: Run, tmp_path: Path) -> None:
        ran = run("grade", "mine.py", "-a", "attention", "--json", "r.json", "--markdown", "r.md", "--junit", "r.xml")
        assert ran.code == 0
        assert "Score 17 / 20" in ran.out
        assert json.loads(Path("r.json").read_text(encoding="utf-8"))["score"] == 17.0
        assert Path("r.md").read_text(encoding="utf-8").startswith("# attention")
        assert Path("r.xml").read_text(encoding="utf-8").startswith("<?xml")
        assert not list(Path().glob(".writing-*"))

    def test_the_student_form_follows_the_course_and_the_option(self, run: Run, rooms: Rooms) -> None:
        arguments = ("grade", "mine.py", "-a", "attention", "--audience", "student", "--json", "-")
        careful = json.loads(run(*arguments).out)
        assert "seed" not in careful
        assert careful["tests"][0]["note"] == ""
        assert json.loads(run(*arguments, "--feedback", "full").out)["tests"][0]["note"]
        rooms.feedback = "full"
        assert json.loads(run(*arguments).out)["tests"][0]["note"]

    @pytest.mark.parametrize(("bar", "code"), [(17, 0), (17.01, 1), (0, 0), (20, 1), (21, 2), (-1, 2)])
    def test_the_bar(self, run: Run, bar: float, code: int) -> None:
        assert run("grade", "mine.py", "-a", "attention", "--min-score", bar).code == code

    @pytest.mark.parametrize(
        ("status", "code"),
        [(Status.NOT_GRADABLE, 1), (Status.NEEDS_MARKING, 1), (Status.GRADER_FAULT, 3), (Status.GRADED, 0)],
    )
    def test_the_status_decides_the_code(self, run: Run, rooms: Rooms, status: Status, code: int) -> None:
        score = Fraction(17) if status is Status.GRADED else None
        rooms.answer = lambda job: report_for(job, status=status, score=score, reason="because")
        assert run("grade", "mine.py", "-a", "attention", "--json", "-").code == code

    def test_practice_marks_are_warned_of_unless_that_is_known(self, run: Run) -> None:
        assert "must not go into a gradebook" in run("grade", "mine.py", "-a", "attention").err
        assert "gradebook" not in run("grade", "mine.py", "-a", "attention", "--practice").err

    def test_a_report_is_written_whatever_the_console_can_show(
        self, rooms: Rooms, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rooms.answer = lambda job: report_for(job, reason="中文 ✓")
        for encoding in ("gbk", "cp1252", "ascii"):
            console = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
            monkeypatch.setattr(sys, "stdout", console)
            assert main(["grade", "mine.py", "-a", "attention"], rooms.ports()) == 0
            assert b"17 / 20" in console.buffer.getvalue()  # type: ignore[attr-defined]
            assert main(["grade", "mine.py", "-a", "attention", "--json", "-"], rooms.ports()) == 0
            assert "中文 ✓".encode() in console.buffer.getvalue()  # type: ignore[attr-defined]

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("grade", "gone.py", "-a", "attention"), "there is no gone.py"),
            (("grade", "mine.py", "-a", "atention"), "did you mean 'attention'"),
            (("grade", "mine.py"), "--assignment"),
            (("grade", "mine.py", "-a", "attention", "--json", "-", "--junit", "-"), "only one of"),
            (("grade", "mine.py", "-a", "attention", "--json", "no/such/folder.json"), "cannot write"),
            (("grade", "mine.py", "-a", "attention", "--reference", "nowhere"), "--reference nowhere"),
            (("grade", "mine.py", "-a", "attention", "--seed", "-3"), "--seed"),
        ],
    )
    def test_usage_errors(self, run: Run, arguments: tuple[str, ...], said: str) -> None:
        ran = run(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert "Traceback" not in ran.err

    def test_only_harmless_environment_is_handed_on(
        self, run: Run, rooms: Rooms, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SECRET_TOKEN", "hunter2")
        monkeypatch.setenv("TZ", "UTC")
        run("grade", "mine.py", "-a", "attention")
        config = rooms.configs[0]
        assert config["environment"]["TZ"] == "UTC"
        assert "hunter2" not in json.dumps(config)
        assert config["course"] == str(rooms.root.resolve())


class TestFailures:
    def test_a_wrong_course_lists_every_problem(self, run: Run, rooms: Rooms) -> None:
        rooms.course_error = CourseError(["a.yaml:1:1: one", "b.yaml:2:2: two"])
        ran = run("list")
        assert ran.code == 2
        assert "a.yaml:1:1: one" in ran.err
        assert "b.yaml:2:2: two" in ran.err
        assert "Traceback" not in ran.err

    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (WallMissing("cannot block the network"), 3),
            (GraderFault("the process ended"), 3),
            (NotGradable(Text("no Python in it")), 1),
            (KeyboardInterrupt(), 130),
        ],
    )
    def test_failures_while_grading_have_their_code(
        self, run: Run, rooms: Rooms, error: BaseException, code: int
    ) -> None:
        def fail(job: Job) -> GradeReport:
            raise error

        rooms.answer = fail
        ran = run("grade", "mine.py", "-a", "attention", "--json", "-")
        assert (ran.code, ran.out) == (code, "")
        assert "Traceback" not in ran.err

    def test_a_bug_of_ours_shows_its_trace_and_is_code_3(self, run: Run, rooms: Rooms) -> None:
        rooms.course_error = ZeroDivisionError("boom")
        ran = run("list")
        assert ran.code == 3
        assert "ZeroDivisionError: boom" in ran.err

    def test_outside_a_course_is_a_usage_error(
        self, run: Run, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        assert run("list").code == 2

    def test_a_course_named_from_outside_is_used(
        self, run: Run, rooms: Rooms, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        assert run("list", "--course", rooms.root).code == 0


class TestBatch:
    @pytest.fixture
    def drop(self, rooms: Rooms) -> Path:
        drop = rooms.root / "drop"
        for name in ("li-na.py", "=cmd.py", "张伟.py", ".DS_Store", "zoe.py", "zoe.ipynb"):
            drop.mkdir(exist_ok=True)
            (drop / name).write_text(f"# {name}\n")
        (drop / "ana").mkdir()
        (drop / "ana" / "attention.py").write_text("# ana\n")
        (drop / "__MACOSX").mkdir()
        return drop

    def rows(self, rooms: Rooms) -> list[dict[str, str]]:
        with (rooms.root / "out" / "grades.csv").open(encoding="utf-8", newline="") as sheet:
            return list(csv.DictReader(sheet))

    def test_grades_csv_has_a_row_a_student_in_order(self, run: Run, rooms: Rooms, drop: Path) -> None:
        rooms.answer = lambda job: replace(report_for(job), isolation=Isolation("isolated"))
        assert run("batch", drop, "-a", "attention", "-o", rooms.root / "out").code == 0
        rows = self.rows(rooms)
        assert ",".join(rows[0]) == (
            "submission,student_id,name,email,status,score,max_score,late_penalty,flags,"
            "scale,mask_blocks,weighted_values"
        )
        assert [row["student_id"] for row in rows] == ["'=cmd", "ana", "li-na", "zoe.ipynb", "zoe.py", "张伟"]
        ana = rows[1]
        assert (ana["submission"], ana["status"], ana["score"], ana["max_score"]) == ("ana", "graded", "17", "20")
        assert (ana["scale"], ana["mask_blocks"], ana["weighted_values"]) == ("0", "2", "15")
        assert ana["flags"] == "forbidden_call"
        assert (rooms.root / "out" / "grades.csv").read_bytes().count(b"\r\n") == 7

    def test_one_seed_for_all_and_the_drop_as_it_was(self, run: Run, rooms: Rooms, drop: Path) -> None:
        before = sorted(drop.rglob("*"))
        run("batch", drop, "-a", "attention", "-o", rooms.root / "out")
        assert len({job.seed for job in rooms.jobs}) == 1
        assert sorted(drop.rglob("*")) == before

    def test_each_submission_has_its_reports(self, run: Run, rooms: Rooms, drop: Path) -> None:
        run("batch", drop, "-a", "attention", "-o", rooms.root / "out", "--lang", "zh")
        folder = rooms.root / "out" / "reports" / "张伟"
        assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
        staff = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        student = json.loads((folder / "student.json").read_text(encoding="utf-8"))
        assert staff["submission"]["id"] == "张伟"
        assert "seed" in staff
        assert "seed" not in student
        assert student["tests"][0]["note"] == ""
        page = (folder / "report.md").read_text(encoding="utf-8")
        assert "得分 17 / 20" in page
        assert str(staff["seed"]) not in page

    def test_shows_a_table_and_where_the_reports_lie(self, run: Run, rooms: Rooms, drop: Path) -> None:
        ran = run("batch", drop, "-a", "attention", "-o", rooms.root / "out")
        lines = ran.out.splitlines()
        assert "ana        17 / 20  scale mask_blocks" in lines
        assert [line.rpartition("out/")[2] for line in lines[-3:]] == ["grades.csv", "index.html", "reports/"]
        assert "graded 6 of 6" in ran.err

    def test_what_was_not_graded_has_no_score_and_asks_for_a_person(self, run: Run, rooms: Rooms, drop: Path) -> None:
        def answer(job: Job) -> GradeReport:
            if job.submission_id != "ana":
                return report_for(job)
            return report_for(job, status=Status.NOT_GRADABLE, score=None, reason="an empty folder", criteria=())

        rooms.answer = answer
        ran = run("batch", drop, "-a", "attention", "-o", rooms.root / "out")
        ana = self.rows(rooms)[1]
        assert ran.code == 1
        assert (ana["status"], ana["score"], ana["scale"], ana["late_penalty"]) == ("not_gradable", "", "", "")
        assert "could not be graded" in ran.out

    def test_a_group_has_a_row_for_each_of_its_students(self, run: Run, rooms: Rooms, drop: Path) -> None:
        (rooms.root / "roster.csv").write_text("student_id\nana-1\nana-2\n")
        (rooms.root / "told.csv").write_text("submission,student_id\nana,ana-1\nana,ana-2\n")
        run("batch", drop, "-a", "attention", "-o", rooms.root / "out", "--roster", rooms.root / "roster.csv",
            "--map", rooms.root / "told.csv")  # fmt: skip
        rows = self.rows(rooms)
        assert len(rows) == 7
        assert [row["student_id"] for row in rows if row["submission"] == "ana"] == ["ana-1", "ana-2"]

    def test_an_engine_that_breaks_leaves_the_tables_of_what_it_graded(
        self, run: Run, rooms: Rooms, drop: Path
    ) -> None:
        graded: list[str] = []

        def answer(job: Job) -> GradeReport:
            graded.append(job.submission_id)
            if len(graded) == 4:
                raise GraderFault("gone")
            return report_for(job)

        rooms.answer = answer
        broken = run("batch", drop, "-a", "attention", "-o", rooms.root / "out")
        assert broken.code == 3
        assert "3 are in" in broken.err and "3 wait for the same command" in broken.err
        assert {row["submission"].lstrip("'") for row in self.rows(rooms)} == set(graded[:3])

    @pytest.mark.parametrize(
        ("drop_name", "out_name", "said"),
        [("nowhere", "out", "there is nothing at"), ("empty", "out", "is empty"), ("drop", "drop/out", "lies inside")],
    )
    def test_usage_errors(self, run: Run, rooms: Rooms, drop: Path, drop_name: str, out_name: str, said: str) -> None:
        (rooms.root / "empty").mkdir()
        ran = run("batch", rooms.root / drop_name, "-a", "attention", "-o", rooms.root / out_name)
        assert ran.code == 2
        assert said in ran.err
        assert not (rooms.root / "out").exists()

    def test_folder_names_are_safe_and_never_meet(self) -> None:
        ids = [
            "ana",
            "Ana",
            "../../etc/passwd",
            "a/b",
            "a_b",
            "con",
            "..",
            ".",
            " ",
            "x" * 300,
            "x" * 301,
            "张伟",
            "a:b",
        ]
        names = folder_names(ids)
        assert names["ana"] == "ana"
        assert names["张伟"] == "张伟"
        assert len({name.casefold() for name in names.values()}) == len(ids)
        for name in names.values():
            assert "/" not in name
            assert not name.startswith(".")
            assert len(name.encode()) < 250


class TestReplay:
    @pytest.fixture
    def report(self, run: Run) -> Path:
        run("grade", "mine.py", "-a", "attention", "--seed", 5, "--json", "r.json", "--lang", "zh")
        return Path("r.json")

    def test_the_same_verdict_is_code_0(self, run: Run, rooms: Rooms, report: Path) -> None:
        rooms.answer = lambda job: report_for(job, duration_s=99.0)
        ran = run("replay", report)
        assert ran.code == 0
        assert "the same verdict" in ran.out
        again = rooms.jobs[-1]
        assert (again.seed, again.lang, again.assignment) == (5, "zh", "attention")

    def test_another_verdict_is_code_1_and_says_where(self, run: Run, rooms: Rooms, report: Path) -> None:
        rooms.answer = lambda job: report_for(job, score=Fraction(16))
        ran = run("replay", report)
        assert ran.code == 1
        assert "score: 17.0 -> 16.0" in ran.out

    def test_a_changed_submission_is_not_replayed(self, run: Run, rooms: Rooms, report: Path) -> None:
        Path("mine.py").write_text("x = 2\n")
        ran = run("replay", report)
        assert ran.code == 1
        assert "attention.py" in ran.out
        assert len(rooms.jobs) == 1

    def test_a_moved_submission_is_found_where_one_says(self, run: Run, report: Path) -> None:
        Path("mine.py").rename("moved.py")
        ran = run("replay", report)
        assert ran.code == 2
        assert "--submission" in ran.err
        assert run("replay", report, "--submission", "moved.py").code == 0

    def test_a_changed_assignment_is_said(self, run: Run, report: Path) -> None:
        document = json.loads(report.read_text(encoding="utf-8"))
        document["assignment_digest"] = 64 * "e"
        report.write_text(json.dumps(document), encoding="utf-8")
        ran = run("replay", report)
        assert ran.code == 1
        assert "has changed since this report" in ran.err

    def test_what_is_no_staff_report_is_refused(self, run: Run, rooms: Rooms) -> None:
        run("grade", "mine.py", "-a", "attention", "--audience", "student", "--json", "s.json")
        Path("broken.json").write_text("{")
        Path("other.json").write_text("[]")
        for name, said in (("s.json", "student's form"), ("broken.json", "no JSON"), ("other.json", "no report"),
                           ("gone.json", "cannot read")):  # fmt: skip
            ran = run("replay", name)
            assert ran.code == 2
            assert said in ran.err


class TestValidate:
    def test_every_claim_is_told_and_all_holding_is_code_0(self, run: Run) -> None:
        ran = run("validate", "attention")
        assert ran.code == 0
        assert "holds  attention: it is fair\n       ~ one is close\n" in ran.out

    def test_a_claim_that_fails_is_code_1_with_what_speaks_against_it(self, run: Run, rooms: Rooms) -> None:
        rooms.against = ("seed 3: 19 of 20",)
        ran = run("validate", "--lang", "zh")
        assert ran.code == 1
        assert "FAILS  attention: 公平" in ran.out
        assert "seed 3: 19 of 20" in ran.out

    def test_the_matrix_is_a_table_of_numbered_criteria(self, run: Run) -> None:
        lines = run("validate", "attention", "--plain").out.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("  known mistake"))
        assert [line.split() for line in lines[at : at + 3]] == [
            ["known", "mistake", "1", "2", "named"],
            ["no_scale", "x", ".", "yes"],
            ["odd", "?", "!", "a", "+", "b,", "no_scale"],
        ]
        assert "  1  scale        Title scale" in lines
        assert "  2  mask_blocks  Title mask" in lines

    def test_the_room_of_the_tolerances_and_the_time_are_told(self, run: Run) -> None:
        out = run("validate", "attention").out
        assert "at most 0.25 of it (right_loops, checks.py::test_a)" in out
        assert "by 40 times it (no_scale, checks.py::test_b)" in out
        assert "time: 1.2 s (reference 1.2 s)" in out

    def test_json_is_one_document(self, run: Run, rooms: Rooms) -> None:
        rooms.against = ("p",)
        document = json.loads(run("validate", "--json").out)
        proof = {"assignment": "attention", "claim": "it is fair", "holds": False}
        assert document["holds"] is False
        assert document["proofs"] == [{**proof, "problems": ["p"], "remarks": ["one is close"]}]
        (numbers,) = document["assignments"]
        assert numbers["matrix"]["criteria"] == ["scale", "mask_blocks"]
        assert numbers["matrix"]["rows"][0] == {
            "fault": "no_scale", "declared": ["scale"], "lost": {"scale": 2.0}, "named": [["no_scale"]],
        }  # fmt: skip
        assert numbers["pairs"] == {
            "tried": 2, "named": 1, "not_named": [{"pair": ["a", "b"], "named": []}],
            "left_out": [{"pair": ["a", "c"], "same_as": [["d"]]}],
        }  # fmt: skip
        assert numbers["room"]["nearest"] == 40.0
        assert numbers["seconds"] == {"reference": 1.25}

    def test_fast_tries_less_and_seeds_can_be_asked_for(self, run: Run, rooms: Rooms) -> None:
        run("validate", "--fast")
        run("validate", "--seeds", "7", "--right", "mine")
        (fast, _), (asked, right) = rooms.plans
        assert (fast.pairs, fast.quick) == (0, True)
        assert fast.seeds < Plan().seeds
        assert asked == replace(Plan(), seeds=7)
        assert right == Path.cwd() / "mine"

    def test_the_matrix_is_written_as_a_document_of_the_whole_course(self, run: Run) -> None:
        assert run("validate", "--matrix", "matrix.md").code == 0
        rows = [line for line in Path("matrix.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
        assert rows == ["| `no_scale` | 2 |  | No root. |", "| `odd` | **kept** | **1.5** | Odd \\| even? |"]
        ran = run("validate", "attention", "--matrix", "part.md")
        assert ran.code == 2
        assert "name no assignment" in ran.err
        assert not Path("part.md").exists()


class TestLine:
    def test_options_that_stand_anywhere_move_to_the_front(self) -> None:
        line = ["grade", "x", "--lang", "zh", "-a", "y", "--plain", "--course=c", "--", "--lang"]
        assert options_first(line) == ["--lang", "zh", "--plain", "--course=c", "grade", "x", "-a", "y", "--", "--lang"]

    @pytest.mark.parametrize(
        ("environment", "encoding", "language"),
        [
            ({"LANG": "zh_CN.UTF-8"}, "utf-8", Language.ZH),
            ({"LANG": "zh_CN.GBK"}, "gbk", Language.ZH),
            ({"LANG": "zh_CN.UTF-8"}, "ascii", Language.EN),
            ({"LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, "utf-8", Language.EN),
            ({"LC_ALL": "", "LANG": "zh_TW"}, "utf-8", Language.ZH),
            ({"LANG": "C"}, "utf-8", Language.EN),
        ],
    )
    def test_the_language_is_the_locales(self, environment: dict[str, str], encoding: str, language: Language) -> None:
        assert default_language(environment, encoding) is language

    def test_plain_reports_have_no_boxes(self, run: Run) -> None:
        assert "╭" in run("grade", "mine.py", "-a", "attention").out
        assert "╭" not in run("grade", "mine.py", "-a", "attention", "--plain").out

    def test_doctor_tells_versions_and_what_is_proven(self, run: Run, rooms: Rooms) -> None:
        rooms.isolation = effects.Proof(("landlock", "seccomp", "rlimits"), {"user": "not needed"}, (), 2.0)
        ran = run("doctor")
        assert ran.code == 0
        for part in (
            "python",
            "torch",
            "numpy",
            "cores",
            "proven: landlock, seccomp",
            "marks made here count",
            "2.2 ms",
        ):
            assert part in ran.out
        assert "NOT PROVEN" not in ran.out

    def test_doctor_tells_what_is_missing_and_how_to_get_it(self, run: Run, rooms: Rooms) -> None:
        rooms.isolation = effects.Proof(
            ("seccomp", "rlimits"), {"landlock": "no such call"}, (("read", "/etc/passwd"),), 2.0
        )
        ran = run("doctor")
        assert ran.code == 1
        for part in ("NOT PROVEN", "/etc/passwd", "landlock", "no such call", "needed:", "--practice", "container"):
            assert part in ran.out

    def test_doctor_speaks_where_there_are_no_walls_at_all(self, run: Run, rooms: Rooms) -> None:
        rooms.isolation = WallMissing("there are no walls for darwin")
        ran = run("doctor")
        assert ran.code == 1 and "no walls for darwin" in ran.out and "torch" in ran.out


HEAVY = ("torch", "nbconvert", "pytest", "rich", "IPython")


def modules_after(*arguments: str, course: Path) -> tuple[int, set[str]]:
    """Run the real command in a fresh interpreter and see what it imported."""
    script = (
        "import sys; from grader.cli import main; code = main(sys.argv[1:]); "
        "print('\\nMODULES', *sorted({name.partition('.')[0] for name in sys.modules})); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True, text=True, encoding="utf-8", cwd=course, timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path.cwd()), "PYTHONIOENCODING": "utf-8"}, check=False,
    )  # fmt: skip
    return done.returncode, set(done.stdout.split("MODULES ")[1].split())


@pytest.mark.parametrize("arguments", [("--help",), ("list",), ("hint", "doubling"), ("hint", "doubling", "values")])
def test_quick_commands_import_nothing_heavy(arguments: tuple[str, ...], course_root: Path) -> None:
    code, modules = modules_after(*arguments, course=course_root)
    assert code == 0
    assert modules.isdisjoint(HEAVY)


def test_a_link_goes_to_the_intake_as_the_link_it_is(run: Run, rooms: Rooms) -> None:
    Path("link.py").symlink_to("mine.py")
    run("grade", "link.py", "-a", "attention")
    assert Path(rooms.jobs[0].path).is_symlink()


OPEN_AN_ENGINE = """
import sys
from grader.commands.ports import real_ports
engine = real_ports().open_engine({"course": "nowhere", "reference": None, "environment": {}, "practice": True, "jobs": 1})
print(sorted({"torch", "numpy"} & sys.modules.keys()))
with engine:
    raise KeyboardInterrupt
"""


def test_the_process_that_holds_the_store_never_imports_torch() -> None:
    """It would be as large as all of a host, and a class would wait for two imports one after the other."""
    ran = subprocess.run([sys.executable, "-c", OPEN_AN_ENGINE], capture_output=True, text=True, check=False)
    assert ran.stdout == "[]\n", ran.stdout + ran.stderr
