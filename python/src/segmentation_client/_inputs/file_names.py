"""Names of files that every common file system takes, and keeps apart where it ignores case and normalization.

The TypeScript client has the same rule; both must pass `client/test/cases/file-names.json`.
"""

from __future__ import annotations

import os
import re
import unicodedata
from typing import Mapping

MOST_BYTES = 240
"""Of a name in UTF-8. File systems take 255; up to 15 are appended, as in `.json.part`."""
MOST_EXTENSION_BYTES = 16
"""A longer ending is a part of the name that may be cut."""

_REFUSED = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
"""Refused by Windows, or the end of a name elsewhere."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|\Z)", re.IGNORECASE | re.ASCII)
"""Devices of Windows, with any extension."""


def unique_names(names: Mapping[str, str]) -> dict[str, str]:
    """Names for the files of one folder, from any ids: all are different, and none leads out of the folder."""
    taken: set[str] = set()
    unique: dict[str, str] = {}
    for key, wanted in names.items():
        name = _safe(wanted) or _safe(key) or "_"
        each, number = name, 1
        while _comparable(each) in taken:
            number += 1
            each = _fitting(name, f"-{number}")
        taken.add(_comparable(each))
        unique[key] = each
    return unique


def _comparable(name: str) -> str:
    """A name for comparison, as in file systems that ignore case and normalization."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower().upper())


def _safe(name: str) -> str:
    """The characters of a name that files may have; may be empty."""
    legal = _REFUSED.sub("_", re.sub("[\ud800-\udfff]", "\ufffd", name))
    legal = re.sub(r"^\.+", "_", legal.rstrip(". "))
    return _fitting(f"_{legal}" if _RESERVED.match(legal) else legal, "")


def _fitting(name: str, suffix: str) -> str:
    """A name with a suffix before its extension, cut to the most bytes."""
    stem, extension = os.path.splitext(name)
    if len(extension.encode()) > MOST_EXTENSION_BYTES:
        stem, extension = name, ""
    start = _cut(stem, MOST_BYTES - len((suffix + extension).encode()))
    return (start if suffix + extension else start.rstrip(". ")) + suffix + extension


def _cut(text: str, most: int) -> str:
    """The longest start of a text with at most this many bytes that splits no character, unless one alone has more.
    """
    size = whole = 0
    for end, point in enumerate(text):
        joined = unicodedata.category(point)[0] == "M" or point == "\u200d" or "\U0001f3fb" <= point <= "\U0001f3ff"
        if not joined and text[end - 1 : end] != "\u200d":
            whole = end
        size += len(point.encode())
        if size > most:
            return text[: whole or end]
    return text
