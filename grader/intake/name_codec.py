"""The encoding of an archive's names, where it does not say: by all of them, since one packer wrote them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

_ENOUGH_BETTER = 0.2  # of the letters: GBK is the usual one here, and stays unless another reads clearly better


def codec_of(names: Iterable[bytes]) -> str:
    """The encoding of those names that are no UTF-8: the one in which most of their letters are everyday ones."""
    odd = [name for name in names if not _is_utf8(name)]
    if not odd:
        return "gb18030"
    best, most = "gb18030", _share(odd, "gb18030", _in_gb2312) + _ENOUGH_BETTER
    for codec, usual in _OTHERS:
        share = _share(odd, codec, usual)
        if share > most:
            best, most = codec, share
    return best


def _share(names: Iterable[bytes], codec: str, usual: Callable[[str], bool]) -> float:
    """How many of the letters beyond ASCII are usual ones."""
    letters = [char for name in names for char in name.decode(codec, "replace") if not char.isascii()]
    return sum(map(usual, letters)) / len(letters) if letters else 0.0


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _in_gb2312(char: str) -> bool:
    return _first_byte(char, "gb2312") in range(0xB0, 0xF8) or char in _SIGNS


def _in_big5(char: str) -> bool:
    """The characters in common use, not the rare ones behind them."""
    return _first_byte(char, "big5") in range(0xA4, 0xC7) or char in _SIGNS


def _in_japanese(char: str) -> bool:
    return "\u3041" <= char <= "\u30fe" or _first_byte(char, "shift_jis") in range(0x88, 0x98) or char in _SIGNS


def _is_latin(char: str) -> bool:
    return "\u00c0" <= char <= "\u017f"


def _first_byte(char: str, codec: str) -> int:
    try:
        return char.encode(codec)[0]
    except UnicodeEncodeError:
        return 0


_SIGNS = "（）【】《》、，。：；！－＿　"
_OTHERS = (("big5", _in_big5), ("cp932", _in_japanese), ("cp437", _is_latin))
