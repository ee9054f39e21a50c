"""The few facts we need of ``submission_metadata.yml``, read line by line.

The file is written by Ruby: its keys begin with a colon, it may hold tags and references, and it grows with every
test result. So it is not built as a whole: only submitters and dates are picked out of it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass, replace

_SUBMISSION = re.compile(r"['\"]?(submission_\d+)['\"]?:\s*(?:&\S+)?\s*")
_KEY = re.compile(r"( +):?([a-z_]+):(?: +(.*))?")
_FACT = re.compile(r" *(- +)?:?(name|sid|email):(?: +(.*))?")
_EMPTY = frozenset({"", "~", "null", "''", '""'})


@dataclass(frozen=True, slots=True)
class Submitter:
    """One of the people behind a submission; "" is unknown."""

    name: str = ""
    sid: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one submission."""

    submitters: tuple[Submitter, ...] = ()
    created_at: str = ""
    active: bool = True


def read_metadata(text: str) -> dict[str, Record]:
    """A record for each folder name."""
    records: dict[str, Record] = {}
    folder, section, depth = "", "", 0
    for line in text.split("\n"):
        if begins := _SUBMISSION.fullmatch(line):
            folder, section, depth = begins[1], "", 0
            records[folder] = Record()
        elif folder and (key := _KEY.fullmatch(line)) and len(key[1]) <= (depth or len(key[1])):
            depth, section = len(key[1]), key[2]
            if section == "created_at":
                records[folder] = replace(records[folder], created_at=_scalar(key[3] or ""))
            elif section == "active":
                records[folder] = replace(records[folder], active=_scalar(key[3] or "") != "false")
        elif folder and section == "submitters" and (fact := _FACT.fullmatch(line)):
            records[folder] = _with_fact(records[folder], fact)
    return records


def _with_fact(record: Record, fact: re.Match[str]) -> Record:
    people = list(record.submitters)
    if fact[1] or not people:
        people.append(Submitter())
    value = unicodedata.normalize("NFC", _scalar(fact[3] or ""))
    last = people[-1]
    people[-1] = Submitter(
        value if fact[2] == "name" else last.name,
        value if fact[2] == "sid" else last.sid,
        value if fact[2] == "email" else last.email,
    )
    return replace(record, submitters=tuple(people))


def _scalar(written: str) -> str:
    """A value on one line: plain, or in either kind of quotes."""
    written = written.strip()
    if written in _EMPTY:
        return ""
    if len(written) > 1 and written[0] == written[-1] == "'":
        return written[1:-1].replace("''", "'")
    if len(written) > 1 and written[0] == written[-1] == '"':
        try:
            return str(json.loads(re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", written)))
        except ValueError:
            return written[1:-1]
    return written
