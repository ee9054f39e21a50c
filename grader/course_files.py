"""The shapes of ``course.yaml`` and ``assignment.yaml``, and what is said where a file has another shape."""

from __future__ import annotations

import dataclasses
import keyword
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, create_model
from pydantic import model_validator as validator_of
from pydantic_core import ErrorDetails, PydanticCustomError

from grader.errors import CourseError
from grader.model.course import Limits
from grader.strict_yaml import Loaded, Path, Position

LANGUAGES = ("en", "zh")
_TYPES = {
    "list_type": "a list",
    "string_type": "a text",
    "float_type": "a number",
    "int_type": "a whole number",
    "bool_type": "true or false",
}
_Shape = TypeVar("_Shape", bound="Strict")


def _identifier(text: str) -> str:
    if not text.isidentifier() or keyword.iskeyword(text) or not text.isascii():
        raise PydanticCustomError("name", "'{name}' is no Python name", {"name": text})
    return text


def _dotted(text: str) -> str:
    for part in text.split("."):
        _identifier(part)
    return text


def _said(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("text", "a text is missing here")
    return text.strip()


def _file_name(text: str) -> str:
    stem, _, ending = text.rpartition(".")
    if not stem.isidentifier() or ending not in ("py", "yaml"):
        raise PydanticCustomError("file", "'{name}' is no plain file name such as attention.py", {"name": text})
    return text


def _hundredths(number: float) -> float:
    if (Fraction(str(number)) * 100).denominator != 1:
        raise PydanticCustomError("hundredths", "{number} has more than two decimals", {"number": number})
    return number


def _three(steps: list[str]) -> list[str]:
    if len(steps) != 3:
        raise PydanticCustomError("steps", "exactly three steps wanted, {count} here", {"count": len(steps)})
    return steps


Name = Annotated[str, AfterValidator(_identifier)]
Dotted = Annotated[str, AfterValidator(_dotted)]
Said = Annotated[str, AfterValidator(_said)]
FileName = Annotated[str, AfterValidator(_file_name)]
Marks = Annotated[float, Field(gt=0, le=1000), AfterValidator(_hundredths)]
Costs = Annotated[float, Field(ge=0, le=1000), AfterValidator(_hundredths)]
Steps = Annotated[list[Said], AfterValidator(_three)]
Shown = Literal["public", "criteria", "full"]


class Strict(BaseModel):
    """Unknown keys refused, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Worded(Strict):
    """Something said in each language of the course."""

    @validator_of(mode="after")
    def _in_every_language(self, info: ValidationInfo) -> Worded:
        missing = [lang for lang in (info.context or {}).get("languages", ()) if lang not in self.model_fields_set]
        if missing:
            raise PydanticCustomError("language", "no text in: {languages}", {"languages": ", ".join(missing)})
        return self


class Words(Worded):
    en: Said
    zh: Said = ""


class HintSteps(Worded):
    en: Steps
    zh: Steps = []


class RequiredShape(Strict):
    name: Name
    parameters: list[Name] = []
    aliases: list[Name] = []


class CriterionShape(Strict):
    id: Name
    marks: Marks
    title: Words
    hints: HintSteps
    all_or_nothing: bool = False
    when_blocked: Literal["costs", "free", "shown"] = "shown"


class ForbiddenShape(Strict):
    calls: list[Dotted]
    costs: Costs = 0.0


def _limit_fields() -> dict[str, Any]:
    """The fields of ``Limits``, so that they are listed in one place."""
    return {
        field.name: (Annotated[type(field.default), Field(gt=0, le=1_000_000)], field.default)
        for field in dataclasses.fields(Limits)
    }


LimitsShape: type[Strict] = create_model("LimitsShape", __base__=Strict, **_limit_fields())


class AssignmentShape(Strict):
    title: Words
    file: FileName
    functions: Annotated[list[RequiredShape], Field(min_length=1)]
    criteria: Annotated[list[CriterionShape], Field(min_length=1)]
    forbidden: ForbiddenShape | None = None
    limits: LimitsShape = LimitsShape()
    import_errors: Literal["keep", "zero"] = "keep"


class FeedbackShape(Strict):
    before_deadline: Shown = "criteria"
    after_release: Shown = "full"
    hidden_runs_per_day: Annotated[int, Field(ge=0, le=1000)] = 0


class CourseShape(Strict):
    title: Words
    languages: Annotated[list[Literal["en", "zh"]], Field(min_length=1)]
    assignments: Annotated[list[Name], Field(min_length=1)]
    feedback: FeedbackShape = FeedbackShape()


def read(shape: type[_Shape], loaded: Loaded, name: str, languages: Sequence[str]) -> _Shape:
    """The data in its shape. Raises ``CourseError`` with every ``name:line:column: problem; advice``."""
    try:
        return shape.model_validate(loaded.data, context={"languages": tuple(languages)})
    except ValidationError as bad:
        errors = [error for error in bad.errors() if not _misspelt(shape, error, bad.errors())]
        placed = sorted((_position(loaded, error), _what(shape, error)) for error in errors)
        raise CourseError([f"{name}:{position}: {what}" for position, what in placed]) from bad


def nearest(word: str, known: Sequence[str]) -> str:
    """``; did you mean 'x'?`` where something known is close, else what is known."""
    if close := get_close_matches(word, known, n=1):
        return f"; did you mean '{close[0]}'?"
    return f"; known here: {', '.join(known)}" if known else ""


def _misspelt(shape: type[Strict], error: ErrorDetails, errors: Sequence[ErrorDetails]) -> bool:
    """Whether a missing key is there under a name that is close: one mistake, told once."""
    where = error["loc"]
    unknown = [e["loc"] for e in errors if e["type"] == "extra_forbidden" and e["loc"][:-1] == where[:-1]]
    keys = _keys(shape, where[:-1])
    return error["type"] == "missing" and any(get_close_matches(str(u[-1]), keys, n=1) == [where[-1]] for u in unknown)


def _position(loaded: Loaded, error: ErrorDetails) -> Position:
    return loaded.position(error["loc"], key=error["type"] == "extra_forbidden")


def _what(shape: type[Strict], error: ErrorDetails) -> str:
    where: Path = error["loc"]
    key = ".".join(str(step) for step in where) or "the file"
    last, context = str(where[-1]) if where else "", error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key '{last}'{nearest(last, _keys(shape, where[:-1]))}"
        case "missing":
            return f"the key '{last}' is missing"
        case "literal_error":
            known = [word.strip(" '") for word in context["expected"].replace(" or ", ",").split(",")]
            return f"{key}: {error['input']!r} is not possible here{nearest(str(error['input']), known)}"
        case "too_short":
            return f"{key}: at least one item wanted"
        case "model_type" | "dict_type":
            return f"{key}: keys with values wanted, not {_kind(error['input'])}"
        case "list_type" | "string_type" | "float_type" | "int_type" | "bool_type":
            return f"{key}: {_TYPES[error['type']]} wanted, not {_kind(error['input'])}"
        case "language":
            return f"{key}: {error['msg']}"
        case _:
            return f"{key}: {error['msg'][:1].lower()}{error['msg'][1:]}"


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "keys with values" if isinstance(value, dict) else "a list"
    return f"{value!r}"


def _keys(shape: Any, where: Path) -> list[str]:
    """The valid keys at a path, walking the shape's annotations."""
    for step in where:
        shapes = list(_shapes(shape))
        if isinstance(step, str) and shapes and step in shapes[0].model_fields:
            shape = shapes[0].model_fields[step].annotation
    return [key for model in _shapes(shape) for key in model.model_fields]


def _shapes(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in an annotation such as ``list[Criterion]`` or ``Forbidden | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    else:
        for inner in get_args(annotation):
            yield from _shapes(inner)
