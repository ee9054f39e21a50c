"""What `grader validate` found, for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from grader.proof import Matrix, Naming, Sheet
from grader.proof.facts import Set


def as_json(sheets: Sequence[Sheet], lang: str) -> str:
    """One document: whether all holds, every claim, and the numbers of each assignment."""
    proofs = [
        {
            "assignment": proof.assignment,
            "claim": proof.claim.pick(lang),
            "holds": proof.holds,
            "problems": [problem.pick(lang) for problem in proof.problems],
            "remarks": [remark.pick(lang) for remark in proof.remarks],
        }
        for sheet in sheets
        for proof in sheet.proofs
    ]
    document = {
        "holds": all(sheet.holds for sheet in sheets),
        "proofs": proofs,
        "assignments": [_numbers(sheet) for sheet in sheets],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _numbers(sheet: Sheet) -> dict[str, Any]:
    return {
        "assignment": sheet.assignment,
        "holds": sheet.holds,
        "matrix": None if sheet.matrix is None else _matrix(sheet.matrix),
        "pairs": None if sheet.pairs is None else _pairs(sheet.pairs),
        "room": None if sheet.room is None else asdict(sheet.room),
        "seconds": {stage: round(seconds, 2) for stage, seconds in sheet.seconds.items()},
    }


def _matrix(matrix: Matrix) -> dict[str, Any]:
    rows = [
        {
            "fault": row.fault,
            "declared": list(row.declared),
            "lost": dict(row.lost),
            "named": None if row.named is None else [list(ids) for ids in row.named],
        }
        for row in matrix.rows
    ]
    return {"criteria": list(matrix.criteria), "rows": rows}


def _pairs(pairs: Naming) -> dict[str, Any]:
    return {
        "tried": pairs.tried,
        "named": pairs.named,
        "not_named": _listed(pairs.not_named, "named"),
        "left_out": _listed(pairs.left_out, "same_as"),
    }


def _listed(pairs: Mapping[Set, Sequence[Set]], key: str) -> list[dict[str, Any]]:
    return [{"pair": list(pair), key: [list(ids) for ids in sets]} for pair, sets in pairs.items()]
