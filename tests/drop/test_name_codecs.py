"""Names in an archive that does not say how they are written: the machine that packed it decides for all of them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from grader.intake.drop import hand_ins_of, open_drop

CLASSES = {
    "gbk": ["张伟", "黄鑫", "欧阳娜娜（补交）"],
    "big5": ["陳志明", "林淑芬", "黃俊傑"],
    "cp932": ["田中太郎", "鈴木花子", "伊藤さくら"],
    "cp437": ["Müller Jürgen", "José", "Ñuñez"],
    "utf-8": ["张伟", "Zoë", "田中太郎"],
}


@pytest.mark.parametrize("codec", CLASSES)
def test_names_are_read_as_their_machine_wrote_them(tmp_path, codec):
    names = CLASSES[codec]
    assert students(without_flag(tmp_path / "c.zip", [name.encode(codec) for name in names])) == sorted(names)


def test_one_name_that_cannot_be_read_spoils_no_other(tmp_path):
    raw = [*(name.encode("gbk") for name in CLASSES["gbk"]), b"cut\xd5"]
    assert set(CLASSES["gbk"]) < set(students(without_flag(tmp_path / "c.zip", raw)))


def students(path: Path) -> list[str]:
    drop = open_drop(path)
    try:
        return sorted(hand_in.people[0].id for hand_in in hand_ins_of(drop, "attention")[1].hand_ins)
    finally:
        drop.close()


def without_flag(path: Path, names: list[bytes]) -> Path:
    """A zip with a folder of each name, as bytes that nothing says the encoding of."""
    stand_ins = [(f"{number}" + "_" * len(name))[: len(name)].encode() for number, name in enumerate(names)]
    with zipfile.ZipFile(path, "w") as archive:
        for stand_in in stand_ins:
            archive.writestr(f"{stand_in.decode()}/attention.py", "x = 1")
    data = path.read_bytes()
    for stand_in, name in zip(stand_ins, names, strict=True):
        data = data.replace(stand_in + b"/", name + b"/")
    path.write_bytes(data)
    return path
