"""What the service sends to webhook endpoints (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Mapping, cast

from .errors import SegmentationError, invalid_input
from .models import WebhookEvent

TOLERANCE = 300.0
"""By how many seconds the clocks of sender and receiver may differ, and how old a request may be."""


def verify_webhook(payload: str | bytes, headers: Mapping[str, str], secret: str) -> WebhookEvent:
    """The event in a request to a webhook endpoint, once it is certain that the service has sent it.

    It may come more than once: its id is the header `webhook-id`. `payload` is the body exactly as it came, before anything has
    parsed it; `secret` is the endpoint's, `whsec_…`. Raises `invalid_signature` if it is not signed with the secret, or more than
    five minutes off.
    """
    body = payload.encode() if isinstance(payload, str) else payload
    why = _why_forged(body, {name.lower(): value for name, value in headers.items()}, secret)
    if why is not None:
        raise SegmentationError(
            "invalid_signature", f"The request is not the service's: {why}. Answer it with 401."
        )
    return cast(WebhookEvent, json.loads(body))


def _why_forged(body: bytes, headers: Mapping[str, str], secret: str) -> str | None:
    key = _key_of(secret)
    message_id, timestamp, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (message_id and timestamp and signatures):
        return "it is not signed"
    if not (timestamp.isdecimal() and abs(time.time() - int(timestamp)) <= TOLERANCE):
        return "its signature is too old"
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    if any(hmac.compare_digest(expected, each.encode()) for each in signatures.split(" ")):
        return None
    return "its signature is wrong"


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        # The platform's error would not say which text is meant.
        raise invalid_input("The webhook's secret is not one: it looks like whsec_… in base64.")
    return key
