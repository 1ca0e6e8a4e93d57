"""Every failure is a SegmentationError with a code, and cites no secret. python3 -m unittest"""

from __future__ import annotations

import asyncio
import os
import socket
import traceback
import unittest
from typing import Any, Callable
from unittest import mock

import httpx
from recorder import Recorder, json_of
from segmentation_client import AsyncClient, Client, SegmentationError

SECRET = "sk_live_secret"
REDIRECT = {"location": "https://me:pw@new.example.com/seg/v1/jobs?token=secret"}


def nobody() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def failure_of(act: Callable[[], Any]) -> SegmentationError:
    try:
        act()
    except SegmentationError as error:
        return error
    raise AssertionError("it did not fail")


async def settled(value: Any) -> Any:
    """Returns the result of a call of either client."""
    if hasattr(value, "__aiter__"):
        return [each async for each in value]
    if hasattr(value, "__next__"):
        return list(value)
    return await value if hasattr(value, "__await__") else value


async def failure_in(act: Callable[[], Any]) -> SegmentationError:
    try:
        await settled(act())
    except SegmentationError as error:
        return error
    raise AssertionError("it did not fail")


def jobs(client: Any) -> Any:
    return client.jobs.list_jobs()


def key(value: str) -> Callable[[Any], Any]:
    return lambda client: client.api.create_api_key({"label": "a"}, idempotency_key=value)


def body(value: Any) -> Callable[[Any], Any]:
    return lambda client: client.jobs.create_job(value)


def token(value: Any) -> dict[str, Any]:
    return {"api_key": None, "access_token": lambda: value}


CYCLE: list[Any] = []
CYCLE.append(CYCLE)

# A failure: the answer, the call, the client's options, the code, the number of requests, a part of the
# message.
FAILURES: list[tuple[str, Any, Callable[[Any], Any], dict[str, Any], str, int, str]] = [
    ("a page of a proxy", (200, {}, b"<html>"), jobs, {}, "unreadable_answer", 2, "not JSON"),
    ("another service", json_of({"ok": True}), jobs, {}, "unreadable_answer", 2, "no items and nextToken"),
    ("a list in place of an object", json_of([]), jobs, {}, "unreadable_answer", 2, "no items"),
    ("an error of another service", json_of({"error": {"code": 7}}, 400), jobs, {}, "unreadable_answer", 1, "400"),
    ("a hint of another kind", json_of({"error": "a", "retryAfterSeconds": "9"}, 429), jobs, {}, "a", 2, "429"),
    ("a damaged compression", (200, {"content-encoding": "gzip"}, b"{}"), jobs, {}, "unreadable_answer", 2, "compression"),
    ("a redirect", (301, REDIRECT, b""), jobs, {}, "invalid_input", 1, "to https://new.example.com/seg."),
    ("a redirect of a POST", (308, {"location": "/seg/v1/jobs"}, b""), body({}), {}, "invalid_input", 1, "/seg. Use"),
    *[
        (f"a {status} of Cloudflare", (status, {}, b""), jobs, {}, "unreadable_answer", 2, str(status))
        for status in (520, 521, 522, 523, 524)
    ],
    ("a token with a line end inside", None, jobs, token(f"{SECRET}\nx"), "invalid_input", 0, "character"),
    ("a token that is not ASCII", None, jobs, token(f"{SECRET}ü"), "invalid_input", 0, "ASCII"),
    ("a token that is none", None, jobs, token(None), "invalid_input", 0, "no token"),
    ("a token of blanks", None, jobs, token(" \n"), "invalid_input", 0, "no token"),
    ("a key with a line end", None, key(f"{SECRET}\nx"), {}, "invalid_input", 0, "character"),
    ("a header with a line end", None, lambda c: c.jobs.list_jobs(headers={"x": f"{SECRET}\r\ny: z"}), {}, "invalid_input", 0, ""),
    ("a header that is bytes", None, lambda c: c.jobs.list_jobs(headers={"x": SECRET.encode()}), {}, "invalid_input", 0, "string"),
    ("headers that are a text", None, lambda c: c.jobs.list_jobs(headers="a: b"), {}, "invalid_input", 0, "dict"),
    ("headers of events that are a text", None, lambda c: c.events("job_1", headers="a: b"), {}, "invalid_input", 0, "dict"),
    ("a number that is none", None, body({"threshold": float("nan")}), {}, "invalid_input", 0, "threshold is nan"),
    ("an object", None, body({"threshold": object()}), {}, "invalid_input", 0, "threshold is of the type object"),
    ("a body in itself", None, body({"tasks": CYCLE}), {}, "invalid_input", 0, "itself"),
    *[
        (f"{value!r} for an id", None, lambda c, value=value: c.jobs.retrieve_job(value), {}, "invalid_input", 0, "job_id")
        for value in (None, 7, "", ".", "..")
    ],
    *[
        (f"{url!r} for a URL", None, lambda c, url=url: c.download(url), {}, "invalid_input", 0, "URL")
        for url in (None, "", "a.png", "ftp://example.com/a?secret", "https://[::1/a?secret", "http://a:b/?secret")
    ],
    ("a timeout of NaN", None, lambda c: c.jobs.list_jobs(timeout=float("nan")), {}, "invalid_input", 0, "timeout is nan"),
    ("a negative max_retries", None, lambda c: c.jobs.list_jobs(max_retries=-1), {}, "invalid_input", 0, "max_retries is -1"),
    ("a result of another kind", json_of({"manifest": 1}), lambda c: c.archive("job_1"), {}, "unreadable_answer", 2, "status"),
]


class Failures(unittest.TestCase):
    def assert_is(self, error: SegmentationError, code: str, part: str) -> None:
        self.assertEqual(error.code, code, error.message)
        self.assertIn(part, error.message)
        told = "".join(traceback.format_exception(type(error), error, None))
        for each in (error, error.__cause__, error.__context__):
            self.assertNotIn("secret", f"{each} {each!r} {told}")
        self.assertLess(len(error.message), 500)

    def test_are_errors_with_a_code_in_both_clients(self) -> None:
        async def all_of(kind: Any, http: Any) -> None:
            with Recorder() as service:
                for name, answer, act, own, code, times, part in FAILURES:
                    with self.subTest(name, client=kind.__name__):
                        service.answer(*([answer] if answer else []))
                        options = {"api_key": SECRET, "max_retries": 1, "retry_delay": 0, **own}
                        client = kind(service.base, http=http, **options)
                        self.assert_is(await failure_in(lambda: act(client)), code, part)
                        self.assertEqual(len(service.asked), times)

        async def main() -> None:
            with httpx.Client(verify=False) as http:
                await all_of(Client, http)
            async with httpx.AsyncClient(verify=False) as http:
                await all_of(AsyncClient, http)

        asyncio.run(main())

    def test_of_the_network_are_repeated(self) -> None:
        for kind, http in ((Client, httpx.Client(verify=False)), (AsyncClient, httpx.AsyncClient(verify=False))):
            retries: list[Any] = []
            client: Any = kind(nobody(), SECRET, max_retries=2, retry_delay=0, http=http)
            act = lambda: client.jobs.list_jobs(on_retry=lambda *each: retries.append(each))
            self.assert_is(asyncio.run(failure_in(act)), "connection_failed", "The connection failed")
            self.assertEqual(len(retries), 2)

    def test_of_a_client_that_is_closed_say_so(self) -> None:
        for http in (None, httpx.Client(verify=False)):
            client = Client("http://127.0.0.1:9", SECRET, http=http, max_retries=0)
            (http or client).close()
            self.assert_is(failure_of(lambda: list(jobs(client))), "invalid_input", "closed")

        async def closed(http: httpx.AsyncClient | None) -> None:
            client = AsyncClient("http://127.0.0.1:9", SECRET, http=http, max_retries=0)
            await (http or client).aclose()
            await client.api.get_account()

        for make in (lambda: None, lambda: httpx.AsyncClient(verify=False)):
            self.assert_is(failure_of(lambda: asyncio.run(closed(make()))), "invalid_input", "closed")

    def test_of_an_asynchronous_token_in_the_blocking_client_name_the_other(self) -> None:
        async def give() -> str:
            return SECRET

        error = failure_of(lambda: list(jobs(Client("http://127.0.0.1:9", access_token=give))))
        self.assert_is(error, "invalid_input", "AsyncClient")

    def test_of_headers_of_the_caller_s_http_are_not_cited(self) -> None:
        with Recorder() as service, httpx.Client(verify=False, headers={"x-gateway": f"{SECRET}\n"}) as http:
            error = failure_of(lambda: list(jobs(Client(service.base, "k", http=http))))
        self.assert_is(error, "invalid_input", "character")

    def test_of_the_environment_are_named_when_the_client_is_made(self) -> None:
        with mock.patch.dict(os.environ, {"HTTPS_PROXY": "foo://me:secret@proxy"}):
            error = failure_of(lambda: Client("http://127.0.0.1:9", "k"))
        self.assert_is(error, "invalid_input", "httpx does not take")


if __name__ == "__main__":
    unittest.main()
