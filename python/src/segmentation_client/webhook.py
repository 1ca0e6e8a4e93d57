"""Events for webhook endpoints (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, Union, cast

from ._values import bytes_of, shown
from .errors import SegmentationError, invalid_input
from .models import WebhookEvent

Headers = Union[Mapping[str, Any], Iterable[tuple[Any, Any]]]
"""Headers of a request from a framework: a mapping, whose values may be lists, or pairs of names and values, text
or bytes.
"""

TOLERANCE = 300.0
"""Seconds: the largest difference between the clocks of sender and receiver, and the largest age of a request."""


def verify_webhook(
    payload: str | bytes | bytearray | memoryview, headers: Headers, secret: str | bytes
) -> WebhookEvent:
    """The event in a request to a webhook endpoint, once it is certain that the service has sent it.

    It may come more than once: its id is the header `webhook-id`. `payload` is the body exactly as it came, before anything has
    parsed it; `secret` is the endpoint's, `whsec_…`. Raises `invalid_signature` if it is not signed with the secret, or more than
    five minutes off; `invalid_input` if an argument has the wrong type.
    """
    body = payload.encode(errors="replace") if isinstance(payload, str) else bytes_of(payload)
    if body is None:
        raise invalid_input(
            f"The body is {shown(payload)}. Give it as it came, before it is parsed: request.get_data() of Flask, "
            "request.body of Django, await request.body() of FastAPI."
        )
    why = _why_forged(body, _signature_of(headers), _key_of(secret))
    if why is not None:
        raise SegmentationError(
            "invalid_signature", f"The request is not the service's: {why}. Answer it with 401."
        )
    try:
        return cast(WebhookEvent, json.loads(body))
    except ValueError:
        raise invalid_input("The body is signed, but is not JSON.") from None


def _signature_of(headers: object) -> dict[str, str]:
    """The headers of the signature, by the last word of their names."""
    items: Any = cast(Any, headers).items() if hasattr(headers, "items") else headers
    try:
        pairs = [(_text_of(name), value) for name, value in items]
    except (TypeError, ValueError):
        raise invalid_input(f"The headers are {shown(headers)}. Give all headers of the request: request.headers") from None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        # In Django's META, and in every environ of WSGI, it is HTTP_WEBHOOK_ID.
        known = re.fullmatch(r"(?:http-)?webhook-(id|timestamp|signature)", name.lower().replace("_", "-"))
        if known is not None:
            values = cast("list[object]", value) if isinstance(value, (list, tuple)) else [value]
            texts = found.setdefault(known[1], [])
            texts += [text for text in map(_text_of, values) if text not in texts]
    return {name: " ".join(texts) for name, texts in found.items()}


def _text_of(given: object) -> str:
    content = bytes_of(given)
    return str(given) if content is None else content.decode("latin-1")


def _why_forged(body: bytes, headers: Mapping[str, str], key: bytes) -> str | None:
    message_id, timestamp, signatures = (headers.get(name, "") for name in ("id", "timestamp", "signature"))
    if not (message_id and timestamp and signatures):
        return "it is not signed"
    if not (re.fullmatch(r"[0-9]{1,15}", timestamp) and abs(time.time() - int(timestamp)) <= TOLERANCE):
        return "its signature is too old"
    signed = f"{message_id}.{timestamp}.".encode(errors="replace") + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    if any(hmac.compare_digest(expected, each.encode(errors="replace")) for each in signatures.split(" ")):
        return None
    return "its signature is wrong"


def _key_of(secret: object) -> bytes:
    if not isinstance(secret, (str, bytes)):
        raise invalid_input(
            f"The webhook's secret is missing: it is of the type {type(secret).__name__}. Is the variable set?"
        )
    text = _text_of(secret).strip().strip("\ufeff").strip().removeprefix("whsec_")
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        # The platform's error would not say which text is meant.
        raise invalid_input("The webhook's secret is not one: it looks like whsec_… in base64.")
    return key
