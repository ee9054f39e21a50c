"""Why a hand-in cannot be read, and what its author can do about it."""

from __future__ import annotations

from grader.errors import NotGradable
from grader.model.course import Text


def refuse(en: str, zh: str) -> NotGradable:
    return NotGradable(Text(en=en, zh=zh))


def no_regular_file(name: str) -> NotGradable:
    return refuse(
        f"`{name}` is no ordinary file (it may be a link or a device); hand in the file itself",
        f"`{name}` 不是普通文件（可能是链接或设备）；请提交文件本身",
    )


def cannot_open(name: str) -> NotGradable:
    return refuse(f"`{name}` could not be opened; hand it in again", f"`{name}` 无法打开；请重新提交")


def too_big(name: str, limit: int, advice: Text) -> NotGradable:
    size = f"{limit / 1_000_000:g} MB"
    return refuse(f"`{name}` is larger than {size}; {advice.en}", f"`{name}` 超过 {size}；{advice.zh}")


def empty(name: str) -> NotGradable:
    return refuse(
        f"`{name}` is empty (0 bytes); the upload may have failed: hand it in again",
        f"`{name}` 是空文件（0 字节）；可能上传失败，请重新提交",
    )


def zeros(name: str) -> NotGradable:
    return refuse(
        f"`{name}` holds nothing but zero bytes, as a copy or a sync that broke off leaves it; open it where you wrote "
        "it, save it and hand it in again",
        f"`{name}` 里只有零字节，可能是复制或同步中断造成的；请在编写它的地方打开、保存，再重新提交",
    )


def no_text(name: str, looks_like: str = "") -> NotGradable:
    en, zh = (f" (it looks like {looks_like})", f"（看起来是 {looks_like}）") if looks_like else ("", "")
    return refuse(
        f"`{name}` is no text file{en}; save your code as plain text in UTF-8 and hand it in again",
        f"`{name}` 不是文本文件{zh}；请把代码存为 UTF-8 纯文本再提交",
    )


def no_notebook(name: str, why: Text) -> NotGradable:
    return refuse(
        f"`{name}` is no notebook that can be read: {why.en}",
        f"`{name}` 不是可以读取的笔记本：{why.zh}",
    )


def no_archive(name: str, why: Text) -> NotGradable:
    return refuse(f"the archive `{name}` cannot be read: {why.en}", f"压缩包 `{name}` 无法读取：{why.zh}")


def other_archive(name: str, kind: str) -> NotGradable:
    return refuse(
        f"`{name}` is a {kind} archive, which is not read; hand in the file itself, or a .zip of it",
        f"`{name}` 是 {kind} 压缩包，无法读取；请直接提交文件，或打包为 .zip",
    )


def nothing_to_grade(wanted: str, found: list[str]) -> NotGradable:
    seen = ", ".join(f"`{name}`" for name in found[:5])
    en = f"it holds {seen}" if seen else "it is empty"
    zh = f"里面只有 {seen}" if seen else "里面什么都没有"
    return refuse(
        f"there is no Python file or notebook in what was handed in ({en}); hand in `{wanted}`",
        f"提交内容里没有 Python 文件或笔记本（{zh}）；请提交 `{wanted}`",
    )


def wrong_kind(name: str, wanted: str) -> NotGradable:
    return refuse(
        f"`{name}` is neither a Python file nor a notebook; hand in `{wanted}`",
        f"`{name}` 既不是 Python 文件也不是笔记本；请提交 `{wanted}`",
    )
