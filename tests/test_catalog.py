from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from grader.catalog import find_root, load_course
from grader.errors import CourseError, UsageError
from grader.model.course import Limits, Text

COURSE = "assignments/course.yaml"
FILE = "assignments/doubling/assignment.yaml"
STUB = "assignments/doubling/doubling.py"


def problems_of(root, **kwargs):
    with pytest.raises(CourseError) as caught:
        load_course(root, **kwargs)
    return caught.value.problems


def test_a_right_course_is_read_whole(course_root):
    course = load_course(course_root)
    assert course.title == Text("A small course", "小课程")
    assert course.languages == ("en", "zh")
    assert (course.before_deadline, course.after_release) == ("criteria", "full")
    (doubling,) = course.assignments
    assert doubling.file == "doubling.py"
    assert [(f.name, f.parameters, f.aliases) for f in doubling.functions] == [("double", ("x",), ("twice",))]
    assert [(c.id, c.marks) for c in doubling.criteria] == [("values", 2), ("inputs_untouched", Fraction(1, 2))]
    assert [(c.all_or_nothing, c.when_blocked) for c in doubling.criteria] == [(False, "shown"), (True, "free")]
    assert doubling.criteria[0].hints[2] == Text("Add the tensor to itself.", "把张量与自己相加。")
    assert (doubling.forbidden.calls, doubling.forbidden.costs) == (("torch.add",), 1)
    assert doubling.limits == Limits(call_s=2, memory_mib=512)
    assert doubling.max_score == Fraction(5, 2)
    assert doubling.stub == course_root / STUB
    assert doubling.reference == course_root / "reference" / "doubling"


def test_the_course_is_found_from_any_folder_inside_it(course_root):
    assert find_root(course_root / "assignments" / "doubling") == course_root.resolve()


def test_outside_a_course_the_search_says_what_it_looked_for(tmp_path):
    with pytest.raises(UsageError, match=r"assignments/course\.yaml"):
        find_root(tmp_path)


def test_a_students_copy_has_no_reference(course_root, tmp_path_factory):
    empty = tmp_path_factory.mktemp("elsewhere")
    assert load_course(course_root, empty).assignments[0].reference is None


def test_a_named_reference_has_to_be_there(course_root):
    assert "no such folder" in problems_of(course_root, reference=course_root / "nowhere")[0]


def test_marks_are_read_as_they_are_written(course_root, edit):
    edit(FILE, "marks: 0.5", "marks: 0.1")
    assert load_course(course_root).assignments[0].criteria[1].marks == Fraction(1, 10)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("    marks: 2\n", "    markz: 2\n", ":9:5: unknown key 'markz'; did you mean 'marks'?"),
        ("    marks: 2\n", "", ":8:5: the key 'marks' is missing"),
        ("marks: 2", "marks: 0", ":9:12: criteria.0.marks: input should be greater than 0"),
        ("marks: 2", "marks: true", ":9:12: criteria.0.marks: a number wanted, not True"),
        ("marks: 2", "marks: '2'", ":9:12: criteria.0.marks: a number wanted, not '2'"),
        ("marks: 2", "marks: 0.333", ":9:12: criteria.0.marks: 0.333 has more than two decimals"),
        ("id: inputs_untouched", "id: values", ":14:9: 'values' stands here twice"),
        ("id: values", "id: every value", ":8:9: criteria.0.id: 'every value' is no Python name"),
        ("id: values", "id: lambda", ":8:9: criteria.0.id: 'lambda' is no Python name"),
        (", Look at the sign.", "", ":12:11: criteria.0.hints.en: exactly three steps wanted, 2 here"),
        ("看符号。", "看符号。, 看", ":13:11: criteria.0.hints.zh: exactly three steps wanted, 4 here"),
        ("Look at one entry.", "''", ":12:12: criteria.0.hints.en.0: a text is missing here"),
        ("{en: Doubling, zh: 加倍}", "{en: Doubling}", ":1:8: title: no text in: zh"),
        ("{en: Doubling, zh: 加倍}", "{en: Doubling, zh: ' '}", ":1:27: title.zh: a text is missing here"),
        ("{en: Doubling, zh: 加倍}", "{en: D, zh: 加, zhh: x}", ":1:23: unknown key 'zhh'; did you mean 'zh'?"),
        ("{en: Doubling, zh: 加倍}", "Doubling", ":1:8: title: keys with values wanted, not 'Doubling'"),
        ("when_blocked: free", "when_blocked: fre", "when_blocked: 'fre' is not possible here; did you mean 'free'?"),
        ("all_or_nothing: true", "all_or_nothing: yes", "all_or_nothing: true or false wanted, not 'yes'"),
        ("limits: {call_s: 2", "limits: {cal_s: 2", ":23:10: unknown key 'cal_s'; did you mean 'call_s'?"),
        ("call_s: 2", "call_s: 0", ":23:18: limits.call_s: input should be greater than 0"),
        ("call_s: 2", "call_s: 90", ":23:18: call_s (90) is above submission_s (60)"),
        ("memory_mib: 512", "memory_mib: 0.5", "limits.memory_mib: a whole number wanted, not 0.5"),
        ("costs: 1", "costs: 3", ":22:40: costs more than the 2.5 marks there are"),
        ("calls: [torch.add]", "calls: [torch.add()]", ":22:21: forbidden.calls.0: 'add()' is no Python name"),
        ("file: doubling.py", "file: ../doubling.py", ":2:7: file: '../doubling.py' is no plain file name"),
        ("file: doubling.py", "file: dubling.py", "; did you mean 'doubling.py'?"),
        ("name: double", "name: dubble", ":4:11: the stub has no 'dubble'; did you mean 'double'?"),
        ("parameters: [x]", "parameters: [y]", ":4:5: the stub's parameters of 'double' are (x), not these"),
        ("aliases: [twice]", "aliases: [double]", ":6:15: 'double' stands here twice"),
        ("aliases: [twice]", "aliases: twice", ":6:14: functions.0.aliases: a list wanted, not 'twice'"),
        ("limits:", "import_errors: keep\nlimit:", "unknown key 'limit'; did you mean 'limits'?"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_advice(course_root, edit, old, new, problem):
    edit(FILE, old, new)
    found = problems_of(course_root)
    assert len(found) == 1, found
    assert found[0].startswith(FILE)
    assert problem in found[0]


def test_every_mistake_of_every_file_is_told_at_once(course_root, edit):
    edit(COURSE, "feedback:", "feedbak:")
    edit(COURSE, "[doubling]", "[doubling, doublin, doubling]")
    edit(FILE, "marks: 2", "marks: -2")
    edit(FILE, "id: inputs_untouched", "id: values")
    edit(FILE, "all_or_nothing: true", "all_or_nothin: true")
    (course_root / STUB).unlink()
    found = problems_of(course_root)
    told = "\n".join(found)
    for part in (
        f"{COURSE}:4:1: unknown key 'feedbak'; did you mean 'feedback'?",
        f"{COURSE}:3:34: 'doubling' stands here twice",
        f"{COURSE}:3:25: there is no folder assignments/doublin",
        f"{FILE}:9:12: criteria.0.marks",
        f"{FILE}:14:9: 'values' stands here twice",
        f"{FILE}:20:5: unknown key 'all_or_nothin'",
        f"{FILE}:2:7: there is no stub doubling.py in assignments/doubling",
    ):
        assert part in told
    assert len(found) == 7, told


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[en, zh]", "[zh]", f"{COURSE}:2:12: en is missing"),
        ("[en, zh]", "[en, cn]", f"{COURSE}:2:17: languages.1: 'cn' is not possible here"),
        ("[doubling]", "[]", f"{COURSE}:3:14: assignments: at least one item wanted"),
        ("[doubling]", "[../doubling]", f"{COURSE}:3:15: assignments.0: '../doubling' is no Python name"),
        (
            "criteria, after",
            "criterion, after",
            f"{COURSE}:4:29: feedback.before_deadline: 'criterion' is not possible",
        ),
        ("title: {en: A small course, zh: 小课程}\n", "", f"{COURSE}:1:1: the key 'title' is missing"),
    ],
)
def test_a_mistake_in_the_course_file_is_named(course_root, edit, old, new, problem):
    edit(COURSE, old, new)
    assert any(found.startswith(problem) for found in problems_of(course_root))


def test_a_misspelt_assignment_suggests_the_folder_that_is_there(course_root, edit):
    edit(COURSE, "[doubling]", "[dubling]")
    assert problems_of(course_root) == [
        f"{COURSE}:3:15: there is no folder assignments/dubling; did you mean 'doubling'?"
    ]


def test_a_folder_without_its_file_is_named(course_root):
    (course_root / FILE).unlink()
    (found,) = problems_of(course_root)
    assert found.startswith(f"{FILE}:1:1: cannot be read")


def test_a_stub_that_is_no_python_is_named_with_its_line(course_root):
    (course_root / STUB).write_text("def double(x:\n    pass\n", encoding="utf-8")
    (found,) = problems_of(course_root)
    assert found.startswith(f"{FILE}:2:7: the stub doubling.py is no valid Python, line 1")


def test_a_class_is_asked_for_its_constructors_parameters(course_root, edit):
    edit(STUB, "def double(x: Tensor) -> Tensor:", "class double:\n  def __init__(self, x, y=1):")
    edit(FILE, "parameters: [x]", "parameters: [x, y]")
    assert load_course(course_root).assignments[0].functions[0].parameters == ("x", "y")


def test_the_stub_is_never_run(course_root):
    path = course_root / STUB
    path.write_text(path.read_text(encoding="utf-8") + "\nraise SystemExit('ran')\n", encoding="utf-8")
    assert load_course(course_root).assignments


def test_the_digest_follows_what_decides_marks_and_nothing_else(course_root, edit):
    first = load_course(course_root).assignments[0].digest
    edit(COURSE, "A small course", "Another course")
    edit("assignments/doubling/README.md", "entry", "number")
    assert load_course(course_root).assignments[0].digest == first
    edit("reference/doubling/solution.py", "2 * x", "x + x")
    assert load_course(course_root).assignments[0].digest != first


def test_reading_a_course_imports_no_heavy_library(course_root):
    code = (
        "import sys; from pathlib import Path; from grader.catalog import load_course; load_course(Path(sys.argv[1]));"
        "print(sorted({'torch', 'numpy', 'nbformat', 'nbconvert', 'pytest'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", code, str(course_root)], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
