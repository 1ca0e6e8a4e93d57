"""The settings of a client, from its arguments and the environment. The client checks each before it sends
anything.
"""

from __future__ import annotations

import inspect
import math
import os
import re
from typing import Awaitable, Callable, Literal, Union, cast
from urllib.parse import urlsplit

import httpx

from .._values import native, shown
from ..errors import invalid_input

AccessToken = Callable[[], Union[str, Awaitable[str]]]
Timeout = Union[float, Literal["default"], None]

_LONGEST = 2_000_000
"""Seconds. The operating system's clocks take no more; a longer limit counts as none."""
_EXAMPLE = "One looks like https://segmentation.example.com"


def text_of(name: str, given: object) -> str:
    """A string without the white space and the byte order mark of files and variables."""
    if not isinstance(given, str):
        # The value may be a secret.
        raise invalid_input(f"The {name} must be a string, and is of the type {type(given).__name__}.")
    return given.strip().strip("\ufeff").strip()


def address_of(base_url: object) -> str:
    """The address of the service, without a slash at its end."""
    text = text_of("base_url", base_url or os.environ.get("SEGMENTATION_BASE_URL", ""))
    if not text:
        raise invalid_input("The client has no address. Give it a base_url, or set SEGMENTATION_BASE_URL.")
    if re.match(r"([^/?#]*//)?[^/?#]*@", text):
        # The message would cite the password.
        raise invalid_input("The address must not have a user name or password. Give an api_key or an access_token.")
    address, *rest = re.split(r"[?#]", text, maxsplit=1)
    if rest:
        raise invalid_input(f"The address must end before its “{text[len(address)]}”: {address}")
    if not is_url(address):
        raise invalid_input(f"{shown(address)} is not an address. {_EXAMPLE}")
    address = address.rstrip("/")
    if address.endswith("/v1"):
        raise invalid_input(f"The client adds /v1 to the address itself. Use {address[:-3].rstrip('/')}")
    return address


def is_url(text: str) -> bool:
    """Tells whether a string is a URL of http or https. Older versions of httpx do not check the port and the host."""
    try:
        parts = urlsplit(text)
        # urlsplit checks the port only when it is read.
        is_complete = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        return is_complete and not re.search(r"[\s\\\x00-\x1f\x7f]", text) and bool(httpx.URL(text).host)
    except (ValueError, httpx.InvalidURL):
        return False


def credential_of(api_key: object, access_token: object) -> AccessToken:
    """Returns the function that gives the credential for a request."""
    if access_token is not None:
        if not callable(access_token):
            raise invalid_input("The access_token must be a function that returns the token: lambda: token")
        return cast(AccessToken, access_token)
    key = text_of("api_key", os.environ.get("SEGMENTATION_API_KEY", "") if api_key is None else api_key)
    if not key:
        raise invalid_input(
            "The client has no credential. Give it an api_key or an access_token, or set SEGMENTATION_API_KEY."
        )
    odd = re.search(r"[^!-~]", key)
    if odd is not None:
        named = f"“{odd[0]}”" if odd[0].isprintable() else f"U+{ord(odd[0]):04X}"
        raise invalid_input(f"The API key contains {named}, as no key does. Was it shortened? Copy the whole key.")
    return lambda: key


async def token_of(credential: AccessToken, is_blocking: bool) -> str:
    """The credential for the next request. No message may cite it."""
    given: object = credential()
    if inspect.isawaitable(given):
        if is_blocking:
            if inspect.iscoroutine(given):
                given.close()
            raise invalid_input("The access_token of a Client must return a string. AsyncClient takes coroutines.")
        given = cast(object, await given)
    token = given.strip().strip("\ufeff").strip() if isinstance(given, str) else ""
    if not token:
        raise invalid_input("The access_token has given no token. It must return a string that is not empty.")
    return token


def limits_of(timeout: object, http: httpx.Client | httpx.AsyncClient | None) -> httpx.Timeout:
    """The time limits of requests: a number of seconds, or those of the caller's `http`, or a minute."""
    if not (isinstance(timeout, str) and timeout == "default"):
        return httpx.Timeout(seconds_of("timeout", timeout))
    # httpx has five seconds by default.
    return httpx.Timeout(60) if http is None or http.timeout == httpx.Timeout(5) else http.timeout


def seconds_of(name: str, given: object) -> float | None:
    """A time limit in seconds; None, like infinity, is none."""
    if given is None:
        return None
    number = _number(given)
    if number is None or not number > 0:
        raise invalid_input(f"{name} is {shown(given)}. Give seconds above 0, or None for no limit.")
    return None if number >= _LONGEST else number


def delay_of(name: str, given: object) -> float:
    """A pause in seconds."""
    number = _number(given)
    if number is None or not 0 <= number < _LONGEST:
        raise invalid_input(f"{name} is {shown(given)}. Give seconds, 0 or more.")
    return number


def count_of(name: str, given: object, least: int) -> int:
    """A whole number."""
    number = _number(given)
    if number is None or not number.is_integer() or number < least:
        raise invalid_input(f"{name} is {shown(given)}. Give a whole number, {least} or more.")
    return int(number)


def _number(given: object) -> float | None:
    value = native(given)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
