"""Values of callers: as JSON, and in messages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from .errors import invalid_input

_MOST_SHOWN = 80


def shown(value: object) -> str:
    """A value for a message: a short text in full, everything large by its type."""
    if isinstance(value, str):
        return f"“{value}”" if len(value) <= _MOST_SHOWN else f"“{value[:_MOST_SHOWN]}…” ({len(value)} characters)"
    if value is None or isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < 10**20):
        return repr(value)
    return f"of the type {type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")


def bytes_of(value: Any) -> bytes | None:
    """The bytes of a value; None if it has another type."""
    return bytes(cast(Any, value)) if isinstance(value, (bytes, bytearray, memoryview)) else None


def native(value: object) -> Any:
    """A number or an array of numpy, torch and the like as Python has it; anything else unchanged."""
    return cast(Any, value).tolist() if hasattr(value, "tolist") and not isinstance(value, type) else value


def plain(value: object, name: str) -> Any:
    """A value as JSON. Raises `invalid_input`, which cites its name, if JSON has no such value."""
    try:
        return _plain(value, name)
    except RecursionError:
        raise invalid_input(f"{name} contains itself.") from None


def _plain(given: object, name: str) -> Any:
    value: Any = native(given)
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, (float, Decimal, Fraction)):
        number = float(value)
        if not math.isfinite(number):
            raise invalid_input(f"{name} is {number}, which is not a number. Give one that is, or leave it out.")
        return number
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {str(key): _plain(each, f"{name}.{key}") for key, each in items}
    if isinstance(value, Iterable) and bytes_of(given) is None:
        return [_plain(each, f"{name}[{i}]") for i, each in enumerate(cast("Iterable[object]", value))]
    raise invalid_input(f"{name} is {shown(given)}. Give a number, a string, a list or a dict.")
