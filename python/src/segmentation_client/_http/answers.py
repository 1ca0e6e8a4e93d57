"""Answers of the service and of its storage, and the errors of these and of the network."""

from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from typing import Any, Sequence

import httpx

from ..errors import SegmentationError, invalid_input

_PASSING_CODES = {"connection_failed", "timed_out", "idempotency_in_progress"}
_PASSING_STATUSES = {408, 429, 502, 503, 504, *range(520, 525)}
"""From 520 on: Cloudflare cannot reach the service."""


def may_pass(error: SegmentationError) -> bool:
    """Tells whether the same request may succeed later."""
    status = error.status or 200
    # A 503 that lasts until the operator has set billing up.
    if error.code == "billing_not_configured":
        return False
    if error.code in _PASSING_CODES or status in _PASSING_STATUSES:
        return True
    # A garbled answer, or the answer of a busy object storage.
    return status < 300 if error.code == "unreadable_answer" else error.code == "storage_refused" and status >= 500


def refusal(response: httpx.Response, content: bytes) -> SegmentationError:
    """The error in an answer of the service; a proxy's page becomes `unreadable_answer`."""
    if response.has_redirect_location:
        return _redirect(response)
    text = content.decode(errors="replace")
    body: Any = text
    named: dict[str, Any] = {}
    try:
        body = json.loads(text)
        named = {**body}
    except (ValueError, TypeError):
        pass
    code, message = (named.get(name) for name in ("error", "message"))
    if not isinstance(code, str):
        code = message = None
    return SegmentationError(
        code or "unreadable_answer",
        str(message or f"The service answered {response.status_code} without an error object: {text[:200]}"),
        status=response.status_code,
        request_id=response.headers.get("x-request-id"),
        body=body,
        retry_after_seconds=_retry_after(response.headers),
        current_version=_version_in(response) if response.status_code == 412 else None,
    )


def _redirect(response: httpx.Response) -> SegmentationError:
    """The client does not follow a redirect: it would make a GET of a POST, and pass the credential on."""
    try:
        location = str(response.url.join(response.headers["location"]))
    except (ValueError, httpx.InvalidURL):
        location = "another address"
    # A query or a password may be secret.
    location = re.sub(r"[?#].*|(?<=//)[^/@]*@", "", location).removesuffix(response.url.path)
    return SegmentationError(
        "invalid_input",
        f"The service's address redirects to {location}. Use that as base_url.",
        status=response.status_code,
        request_id=response.headers.get("x-request-id"),
    )


def storage_refusal(response: httpx.Response, content: bytes) -> SegmentationError:
    """The error in an answer of object storage, whose XML is quoted."""
    text = content.decode(errors="replace")
    return SegmentationError(
        "storage_refused",
        f"The storage refused the file with status {response.status_code}. Try again. It answered: {text[:200]}",
        status=response.status_code,
        body=text,
        retry_after_seconds=_retry_after(response.headers),
    )


def unreadable(response: httpx.Response, what: str) -> SegmentationError:
    """The error of a success that cannot be read; the client asks again."""
    return SegmentationError(
        "unreadable_answer",
        f"The answer {what}. Is this the address of a segmentation service?",
        status=response.status_code,
        request_id=response.headers.get("x-request-id"),
    )


def parse_json(content: bytes | str, response: httpx.Response) -> Any:
    """A text of an answer as JSON; None if it is empty. Trusts the service to follow its contract."""
    try:
        return json.loads(content) if content else None
    except ValueError:
        raise unreadable(response, "is not JSON") from None


def failure(error: Exception, request: httpx.Request) -> SegmentationError:
    """The error for an exception of httpx."""
    if isinstance(error, httpx.TimeoutException):
        seconds: float = request.extensions["timeout"]["read"] or 0
        return SegmentationError("timed_out", f"No data received for {seconds:g} s. Try again, or raise timeout.")
    if isinstance(error, httpx.LocalProtocolError):
        return bad_header()
    if isinstance(error, httpx.UnsupportedProtocol):
        return invalid_input(f"{request.url.scheme}: is not a protocol for files. Use an https URL.")
    if isinstance(error, httpx.DecodingError):
        return SegmentationError("unreadable_answer", f"The answer's compression is damaged: {error}. Try again.")
    why = str(error) or type(error).__name__
    return SegmentationError(
        "connection_failed", f"The connection failed: {why}. Check the address and the network, then try again."
    )


def bad_header() -> SegmentationError:
    """The error of a header that cannot be sent. It does not cite the header, which may be the credential."""
    return invalid_input(
        "A header, key or token has a character that no header of HTTP may have. Use ASCII without line ends."
    )


def has_fields(data: Any, names: Sequence[str]) -> bool:
    """Tells whether a part of an answer is an object with these fields."""
    return isinstance(data, dict) and all(name in data for name in names)


def _version_in(response: httpx.Response) -> int | None:
    """The version in an ETag, which a proxy may have made weak."""
    found = re.fullmatch(r'(?:W/)?"([0-9]+)"', response.headers.get("etag", ""))
    return int(found[1]) if found else None


def _retry_after(headers: httpx.Headers) -> int | None:
    """The number of seconds in Retry-After, which has a number or a date."""
    value = headers.get("retry-after", "")
    if value.isdecimal() and len(value) < 10:
        return int(value)
    try:
        return max(0, round(parsedate_to_datetime(value).timestamp() - time.time()))
    except (ValueError, TypeError, OverflowError):
        return None
