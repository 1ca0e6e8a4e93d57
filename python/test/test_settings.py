"""The settings of clients: refused by name when the client is made, or taken. python3 -m unittest"""

from __future__ import annotations

import math
import os
import unittest
from decimal import Decimal
from typing import Any
from unittest import mock

import httpx
import numpy as np
from recorder import Recorder
from segmentation_client import AsyncClient, Client, SegmentationError

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    *[("timeout", {"timeout": value}, "timeout") for value in (0, -1, math.nan, "30", True, -math.inf, [], "")],
    *[("max_retries", {"max_retries": value}, "max_retries") for value in (-1, 1.5, math.nan, math.inf, "3", None, True)],
    *[("retry_delay", {"retry_delay": value}, "retry_delay") for value in (-1, math.nan, math.inf, "3", None, True)],
    *[("parallel", {"parallel": value}, "parallel") for value in (0, -1, 1.5, math.nan, "3", None, True)],
    ("token", {"api_key": None, "access_token": "sk_live_secret"}, "lambda"),
    ("key", {"api_key": b"sk_live_secret"}, "api_key must be a string"),
    ("key", {"api_key": "sk_live_secr…"}, "“…”"),
    ("key", {"api_key": "sk_live_\u200bsecret"}, "U+200B"),
    ("key", {"api_key": " \n"}, "no credential"),
    *[
        ("address", {"base_url": value}, part)
        for value, part in (
            (" \n", "no address"),
            ("segmentation.example.com", "is not an address"),
            ("ftp://segmentation.example.com", "is not an address"),
            ("https://", "is not an address"),
            ("https://a b.example.com", "is not an address"),
            ("https://exa\nmple.com", "is not an address"),
            ("https://example.com:port", "is not an address"),
            ("https://example.com:99999", "is not an address"),
            ("http://[::1", "is not an address"),
            ("https://example.com?a=secret", "must end before its “?”: https://example.com"),
            ("https://example.com/#/x", "must end before its “#”: https://example.com/"),
            ("https://example.com/seg/v1/", "Use https://example.com/seg"),
            ("https://example.com//v1", "Use https://example.com"),
            ("https://me:secret@example.com", "user name"),
            ("me:secret@example.com", "user name"),
            (b"https://example.com", "base_url must be a string"),
            (8787, "base_url must be a string"),
        )
    ],
]
KINDS: dict[Any, Any] = {Client: httpx.Client, AsyncClient: httpx.AsyncClient}


HTTP = httpx.Client(verify=False)
"""Shared: each further client would read the certificates again."""


class Settings(unittest.TestCase):
    def test_that_are_wrong_are_refused_by_name(self) -> None:
        for kind, of_httpx in KINDS.items():
            http = of_httpx(verify=False)
            for name, options, part in REFUSED:
                with self.subTest(name, options=options), self.assertRaises(SegmentationError) as failure:
                    kind(**{"base_url": "https://example.com", "api_key": "k", "http": http, **options})
                self.assertEqual(failure.exception.code, "invalid_input")
                self.assertIn(part, failure.exception.message)
                self.assertNotIn("secret", failure.exception.message)

    def test_that_are_right_are_taken(self) -> None:
        with Recorder() as service:
            for address in ("{}\n", " {}", "\ufeff{}", "{}/", "{}//"):
                list(Client(address.format(service.base), "\ufeffsk_live\r\n", http=HTTP).jobs.list_jobs())
            base = service.base.replace("http", "HTTP")
            list(Client(base, access_token=lambda: " sk_live\n", http=HTTP).jobs.list_jobs())
        for asked, headers in service.asked:
            self.assertEqual((asked, headers["authorization"]), ("GET /v1/jobs", "Bearer sk_live"))
        self.assertEqual(len(service.asked), 6)

    def test_of_the_environment_are_trimmed(self) -> None:
        with Recorder() as service:
            values = {"SEGMENTATION_BASE_URL": f"{service.base}\n", "SEGMENTATION_API_KEY": "sk_live\n"}
            with mock.patch.dict(os.environ, values):
                list(Client(http=HTTP).jobs.list_jobs())

    def test_none_and_infinity_are_no_time_limit(self) -> None:
        with Recorder() as service:
            http = HTTP
            for timeout in (None, math.inf, 10**400, 5, np.float32(5), np.int64(5)):
                list(Client(service.base, "k", http=http, timeout=timeout).jobs.list_jobs())  # type: ignore[arg-type]
                list(Client(service.base, "k", http=http).jobs.list_jobs(timeout=timeout))  # type: ignore[arg-type]
                client = Client(service.base, "k", http=http, timeout=timeout)  # type: ignore[arg-type]
                service.answer((200, {}, b'{"jobId":"j","type":"image","status":"success","tasks":[],"error":null}'))
                self.assertEqual(len(list(client.events("j"))), 1)
                service.answer()
        with self.assertRaises(SegmentationError):
            Client(service.base, "k", http=HTTP, timeout=Decimal("NaN"))  # type: ignore[arg-type]

    def test_an_http_of_the_other_kind_is_refused(self) -> None:
        for kind, given in ((Client, httpx.AsyncClient(verify=False)), (AsyncClient, HTTP), (Client, "proxy")):
            with self.assertRaisesRegex(SegmentationError, rf"^{kind.__name__} takes an httpx\.\w+ as http"):
                kind("https://example.com", "k", http=given)  # type: ignore[arg-type]


class Http(unittest.TestCase):
    """The caller's client of httpx."""

    def setUp(self) -> None:
        self.seen: list[httpx.Request] = []
        self.http = httpx.Client(
            headers={"X-Gateway": "1", "User-Agent": "corp/1"},
            cookies={"session": "gateway"},
            params={"p": "1"},
            auth=("user", "password"),
            timeout=7,
            event_hooks={"request": [self.seen.append]},
            follow_redirects=True,
            verify=False,
        )
        self.addCleanup(self.http.close)

    def test_adds_what_it_has_to_requests_to_the_service(self) -> None:
        with Recorder() as service:
            client = Client(service.base, "sk_live", http=self.http)
            list(client.jobs.list_jobs(limit=2, headers={"X-Trace": "7"}))
        [(asked, headers)] = service.asked
        self.assertEqual(asked, "GET /v1/jobs?p=1&limit=2")
        self.assertEqual(
            {name: headers[name] for name in ("authorization", "x-gateway", "user-agent", "cookie", "x-trace")},
            {
                "authorization": "Bearer sk_live",
                "x-gateway": "1",
                "user-agent": "corp/1",
                "cookie": "session=gateway",
                "x-trace": "7",
            },
        )
        self.assertEqual([each.extensions["timeout"]["read"] for each in self.seen], [7])

    def test_gives_the_storage_nothing_of_it(self) -> None:
        place = {"uploadUrl": "{base}/up/1?signature=x", "taskId": "a.gif", "expiresIn": 300}
        moved = (302, {"location": "{base}/there"}, b"")
        with Recorder((200, {}, str(place).replace("'", '"').encode()), (200, {}, b""), moved, (200, {}, b"file")) as service:
            client = Client(service.base, "sk_live", http=self.http)
            client.upload(b"GIF89a")
            self.assertEqual(client.download(f"{service.base}/files/1?signature=x"), b"file")
        paths = [asked for asked, _ in service.asked[1:]]
        self.assertEqual(paths, ["PUT /up/1?signature=x", "GET /files/1?signature=x", "GET /there"])
        for _, headers in service.asked[1:]:
            self.assertFalse({"authorization", "cookie", "x-gateway"} & headers.keys())
            self.assertEqual(headers["user-agent"], "corp/1")

    def test_has_a_minute_unless_it_says_otherwise_and_the_client_s_own_limit_wins(self) -> None:
        hooks: Any = {"request": [self.seen.append]}
        with Recorder() as service, httpx.Client(event_hooks=hooks, verify=False) as http:
            list(Client(service.base, "k", http=http).jobs.list_jobs())
            list(Client(service.base, "k", http=self.http, timeout=9).jobs.list_jobs())
        self.assertEqual([each.extensions["timeout"]["read"] for each in self.seen], [60, 9])

    def test_is_named_by_the_client_where_the_caller_does_not(self) -> None:
        with Recorder() as service:
            list(Client(service.base, "k").jobs.list_jobs())
            list(Client(service.base, "k", http=HTTP).jobs.list_jobs())
            list(Client(service.base, "k", http=HTTP).jobs.list_jobs(headers={"User-Agent": "mine/2"}))
        names = [headers["user-agent"] for _, headers in service.asked]
        self.assertRegex(names[0], r"^segmentation-client-python/\d+\.\d+\.\d+$")
        self.assertEqual(names[1:], [names[0], "mine/2"])


if __name__ == "__main__":
    unittest.main()
