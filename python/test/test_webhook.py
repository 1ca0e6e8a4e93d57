"""Webhook requests as frameworks hand them over. python3 -m unittest"""

from __future__ import annotations

import base64
import email.message
import hashlib
import hmac
import json
import time
import unittest
from typing import Any

import httpx
from segmentation_client import SegmentationError, verify_webhook

KEY = b"secret of the tests"
SECRET = "whsec_" + base64.b64encode(KEY).decode()
EVENT = {"type": "test", "timestamp": "2026-11-20T09:30:00.000Z", "data": {"endpointId": "wé_1"}}
BODY = json.dumps(EVENT, ensure_ascii=False).encode()


def signed(body: bytes = BODY) -> dict[str, str]:
    now = str(int(time.time()))
    digest = hmac.digest(KEY, b"evt_1." + now.encode() + b"." + body, hashlib.sha256)
    signature = "v1," + base64.b64encode(digest).decode()
    return {"webhook-id": "evt_1", "webhook-timestamp": now, "webhook-signature": f"v1,bm8= {signature}"}


def message_of(headers: dict[str, str]) -> email.message.Message:
    message = email.message.Message()
    for name, value in headers.items():
        message[name.title()] = value
    return message


HEADERS: dict[str, Any] = {
    "a dict": lambda h: {**h, "host": "example.com"},
    "names in capitals": lambda h: {name.upper(): value for name, value in h.items()},
    "httpx": httpx.Headers,
    "http.server": message_of,
    "lists, of API Gateway": lambda h: {name: [value] for name, value in h.items()},
    "two headers of signatures": lambda h: {**h, "webhook-signature": h["webhook-signature"].split(" ")},
    "pairs of bytes, of ASGI": lambda h: [(name.encode(), value.encode()) for name, value in h.items()],
    "a dict of bytes": lambda h: {name.encode(): value.encode() for name, value in h.items()},
    "META of Django": lambda h: {
        "wsgi.input": object(),
        "SERVER_PORT": 80,
        **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in h.items()},
    },
    "values and lists together": lambda h: [*h.items(), *((name.title(), [value]) for name, value in h.items())],
}
SECRETS = [f"{SECRET}\n", f" {SECRET}", f"\ufeff{SECRET}", SECRET.encode(), SECRET.rstrip("="), SECRET.removeprefix("whsec_")]
REFUSED: list[tuple[Any, Any, Any, str, str]] = [
    *[(body, signed(), SECRET, "invalid_input", "as it came") for body in (EVENT, [EVENT], None, 7, object())],
    *[(BODY, headers, SECRET, "invalid_input", "request.headers") for headers in (None, 7, "webhook-id: evt_1", b"a", ["a"], object())],
    *[(BODY, signed(), secret, "invalid_input", "variable") for secret in (None, 7, [SECRET])],
    *[(BODY, signed(), secret, "invalid_input", "whsec_") for secret in ("", "whsec_", "whsec_ä", "whsec_%%", b"\xff")],
    *[(BODY, headers, SECRET, "invalid_signature", "not signed") for headers in ({}, [], {"webhook-id": ["evt_1"]}, {7: 8})],
    (BODY + b" ", signed(), SECRET, "invalid_signature", "wrong"),
    ("\ud800", signed(), SECRET, "invalid_signature", "wrong"),
    (BODY, {**signed(), "webhook-signature": "v1,ü\ud800"}, SECRET, "invalid_signature", "wrong"),
    (BODY, {**signed(), "webhook-timestamp": "9" * 5_000}, SECRET, "invalid_signature", "old"),
    (BODY, {**signed(), "webhook-timestamp": "nan"}, SECRET, "invalid_signature", "old"),
    (b"no JSON", signed(b"no JSON"), SECRET, "invalid_input", "JSON"),
]


class Webhooks(unittest.TestCase):
    def test_are_verified_with_the_headers_of_every_framework(self) -> None:
        for name, made in HEADERS.items():
            with self.subTest(name):
                self.assertEqual(verify_webhook(BODY, made(signed()), SECRET), EVENT)

    def test_are_verified_with_the_body_as_text_or_bytes(self) -> None:
        for body in (BODY, BODY.decode(), bytearray(BODY), memoryview(BODY)):
            with self.subTest(type(body)):
                self.assertEqual(verify_webhook(body, signed(), SECRET), EVENT)

    def test_are_verified_with_a_secret_as_files_and_variables_have_it(self) -> None:
        for secret in SECRETS:
            with self.subTest(secret=secret):
                self.assertEqual(verify_webhook(BODY, signed(), secret), EVENT)

    def test_are_refused_by_name(self) -> None:
        for body, headers, secret, code, part in REFUSED:
            with self.subTest(code, part=part), self.assertRaises(SegmentationError) as failure:
                verify_webhook(body, headers, secret)
            self.assertEqual(failure.exception.code, code, failure.exception.message)
            self.assertIn(part, failure.exception.message)


if __name__ == "__main__":
    unittest.main()
