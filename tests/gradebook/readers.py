"""What each platform reads in a sheet that is uploaded: written for these tests from the platforms' own rules."""

from __future__ import annotations

import csv
import io
import re


def rows(data: bytes, delimiter: str = ",", encoding: str = "utf-8-sig") -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(encoding), newline=""), delimiter=delimiter, strict=True))


def canvas(data: bytes, delimiter: str = ",") -> dict[str, str]:
    """Mark by user id, as the importer of gradebooks does: student columns up to Section, then assignments."""
    header, *body = rows(data, delimiter)
    assert "Student" in header[0] and "ID" in header[1]
    section = max(at for at, head in enumerate(header[:6]) if "Section" in head)
    (title,) = header[section + 1 :]
    assert re.fullmatch(r".+ \(\d+\)", title)
    points = [row for row in body if re.match(r"\s+Points Possible", row[0])]
    assert len(points) == 1
    assert all(len(row) == len(header) for row in body)
    return {row[1]: row[section + 1] for row in body if row[1].strip()}


def moodle(data: bytes, identifier: str, grade: str, modified: str) -> dict[str, str]:
    """Mark by participant's number: the three columns have to be there under the site's own names."""
    header, *body = rows(data)
    who, mark, _ = header.index(identifier), header.index(grade), header.index(modified)
    return {re.findall(r"\d+$", row[who])[0]: row[mark] for row in body}


def by_column(data: bytes, key: str, value: str, delimiter: str = ",", encoding: str = "utf-8-sig") -> dict[str, str]:
    text = io.StringIO(data.decode(encoding), newline="")
    return {row[key]: row[value] for row in csv.DictReader(text, delimiter=delimiter, strict=True)}
