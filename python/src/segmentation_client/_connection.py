"""Requests to the service and to its storage: credentials, time limits, repetitions."""

from __future__ import annotations

import inspect
import json
import os
import random
import re
import time
import uuid
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, AsyncGenerator, Awaitable, Callable, Mapping, TypeVar, Union
from urllib.parse import quote, urlsplit

import httpx

from ._io import IO
from .errors import SegmentationError, invalid_input
from .options import CallOptions

T = TypeVar("T")
AccessToken = Callable[[], Union[str, Awaitable[str]]]

LONGEST_PAUSE = 60.0
"""Seconds. Nobody waits longer for a repetition: a later Retry-After is the caller's to follow."""
_PASSING_CODES = {"connection_failed", "timed_out", "idempotency_in_progress"}
_PASSING_STATUSES = {408, 429, 502, 503, 504}


@dataclass(frozen=True)
class Event:
    """One event of an operation that answers with a stream of them."""

    event: str
    data: Any
    id: str | None = None


@dataclass(frozen=True)
class Answer:
    """A success of the service, read."""

    data: Any
    headers: httpx.Headers


class Connection:
    """Sends requests for one client."""

    def __init__(
        self,
        io: IO,
        *,
        base_url: str | None,
        api_key: str | None,
        access_token: AccessToken | None,
        timeout: float,
        max_retries: int,
        retry_delay: float,
        parallel: int,
    ) -> None:
        self.io = io
        self._timeout = timeout
        self.parallel = parallel
        self._base_url = _address_of(base_url)
        self._credential = access_token or _key_of(api_key)
        self._max_retries = max_retries
        self._retry_delay = retry_delay

    async def ask(
        self,
        route: str,
        path: Mapping[str, str],
        options: CallOptions,
        *,
        key: str | None = None,
        is_empty: bool = False,
        **request: Any,
    ) -> Answer:
        """Asks the service, again where a failure may pass: a POST with one Idempotency-Key, so that it takes effect once."""
        if route.startswith("POST"):
            key = key or str(uuid.uuid4())

        async def attempt(failures: int) -> Answer:
            until = time.monotonic() + self.timeout_of(options)
            try:
                response = await self.open(route, path, options, key=key, **request)
            except SegmentationError as error:
                # The first answer was lost, and it said that this is gone now.
                if failures > 0 and is_empty and error.status == 404:
                    return Answer(None, httpx.Headers())
                raise
            content = await self.read(response, until)
            return Answer(parse_json(content, response), response.headers)

        return await self.persist(options, attempt)

    async def open(
        self,
        route: str,
        path: Mapping[str, str],
        options: CallOptions,
        *,
        key: str | None = None,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
    ) -> httpx.Response:
        """Asks the service once, and gives its success unread."""
        method, template = route.split(" ")
        for name, value in path.items():
            if not value:
                raise invalid_input(f"The operation needs a {name}.")
        url = self._base_url + template.format_map({name: quote(value, safe="") for name, value in path.items()})
        token = self._credential()
        credential = await token if inspect.isawaitable(token) else token
        headers: dict[str, str] = dict(options.get("headers", {}))
        headers["authorization"] = f"Bearer {credential}"
        if key:
            headers["idempotency-key"] = key
        if body is not None:
            headers["content-type"] = "application/json"
        content = None if body is None else json.dumps(body).encode()
        given = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            request = httpx.Request(
                method, url, headers=headers, content=content, params=given or None, extensions=self._limits(options)
            )
        except UnicodeEncodeError:
            # The error itself would cite the token.
            raise invalid_input(
                "A header, key or token has a character that no header of HTTP may have. Use ASCII only."
            ) from None
        response = await self._send(request)
        if not response.is_success:
            raise refusal(response, await self.read(response))
        return response

    async def events(
        self, route: str, path: Mapping[str, str], options: CallOptions
    ) -> AsyncGenerator[Event, None]:
        """Gives the events of one answer until it ends, or nothing was heard for the time limit."""
        headers = {"accept": "text/event-stream", **options.get("headers", {})}
        response = await self.open(route, path, {**options, "headers": headers})
        text = b""
        try:
            async for piece in self.io.pieces(response):
                # A line end that is cut in two is put together before it is read.
                text = re.sub(rb"\r\n|\r(?!\Z)", b"\n", text + piece)
                *blocks, text = text.split(b"\n\n")
                for block in blocks:
                    event = _event_of(block.decode(), response)
                    if event is not None:
                        yield event
        except httpx.HTTPError as error:
            raise _failure(error, response.request) from error
        finally:
            await self.io.close(response)

    async def download(self, url: str, options: CallOptions, read: Callable[[bytes], T]) -> T:
        """Downloads a URL, again where a failure may pass; so is a file that `read` finds damaged by a ValueError."""

        async def attempt(_: int) -> T:
            request = httpx.Request("GET", url, extensions=self._limits(options))
            response = await self._send(request, follow_redirects=True)
            content = await self.read(response)
            if not response.is_success:
                raise storage_refusal(response, content)
            try:
                return read(content)
            except ValueError as error:
                raise unreadable(response, f"cannot be read: {error}") from error

        return await self.persist(options, attempt)

    async def put(self, url: str, content: bytes, content_type: str | None, options: CallOptions) -> httpx.Headers:
        """Sends a file or a part of one to the storage, once."""
        headers = {} if content_type is None else {"content-type": content_type}
        request = httpx.Request("PUT", url, headers=headers, content=content, extensions=self._limits(options))
        response = await self._send(request)
        answer = await self.read(response)
        if not response.is_success:
            raise storage_refusal(response, answer)
        return response.headers

    async def persist(self, options: CallOptions, attempt: Callable[[int], Awaitable[T]]) -> T:
        """Repeats an attempt that failed with what may pass; it takes the number of failures before it."""
        failures = 0
        while True:
            try:
                return await attempt(failures)
            except SegmentationError as error:
                asked = error.retry_after_seconds or 0
                last = failures >= options.get("max_retries", self._max_retries)
                if last or not may_pass(error) or asked > LONGEST_PAUSE:
                    raise
                pause = asked + self.pause(failures)
                if "on_retry" in options:
                    options["on_retry"](error, pause)
            await self.io.sleep(pause)
            failures += 1

    def pause(self, failures: int) -> float:
        """Seconds between half a pause and a whole one, so that clients which failed together don't come back together."""
        return min(self._retry_delay * 2.0**failures, LONGEST_PAUSE) * random.uniform(0.5, 1)

    def timeout_of(self, options: CallOptions) -> float:
        return options.get("timeout", self._timeout)

    def _limits(self, options: CallOptions) -> dict[str, Any]:
        return {"timeout": httpx.Timeout(self.timeout_of(options)).as_dict()}

    async def _send(self, request: httpx.Request, follow_redirects: bool = False) -> httpx.Response:
        try:
            return await self.io.send(request, follow_redirects)
        except httpx.HTTPError as error:
            raise _failure(error, request) from error

    async def read(self, response: httpx.Response, until: float | None = None) -> bytes:
        """A whole body; until a time of the monotonic clock, if it has to be there by then."""
        parts: list[bytes] = []
        try:
            async for piece in self.io.pieces(response):
                parts.append(piece)
                if until is not None and time.monotonic() > until:
                    raise httpx.ReadTimeout("")
        except httpx.HTTPError as error:
            raise _failure(error, response.request) from error
        finally:
            await self.io.close(response)
        return b"".join(parts)


def may_pass(error: SegmentationError) -> bool:
    """Whether the same request may succeed later."""
    status = error.status or 200
    # A 503 that lasts until the operator has set billing up.
    if error.code == "billing_not_configured":
        return False
    if error.code in _PASSING_CODES or status in _PASSING_STATUSES:
        return True
    # An answer that arrived garbled; and what object storage says when it is busy.
    return status < 300 if error.code == "unreadable_answer" else error.code == "storage_refused" and status >= 500


def refusal(response: httpx.Response, content: bytes) -> SegmentationError:
    """The error in an answer of the service; a proxy's page becomes `unreadable_answer`."""
    text = content.decode(errors="replace")
    body: Any = text
    named: dict[str, Any] = {}
    try:
        body = json.loads(text)
        named = {**body}
    except (ValueError, TypeError):
        pass
    return SegmentationError(
        named.get("error") or "unreadable_answer",
        named.get("message")
        or f"The service answered {response.status_code} without an error object: {text[:200]}",
        status=response.status_code,
        request_id=response.headers.get("x-request-id"),
        body=body,
        retry_after_seconds=_retry_after(response.headers),
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
    """The error of an answer that says success and cannot be read; it is asked for again."""
    return SegmentationError(
        "unreadable_answer",
        f"The answer {what}. Is this the address of a segmentation service?",
        status=response.status_code,
        request_id=response.headers.get("x-request-id"),
    )


def parse_json(content: bytes | str, response: httpx.Response) -> Any:
    """A text of an answer as JSON, None of an empty one; the service is trusted to send what its contract has."""
    try:
        return json.loads(content) if content else None
    except ValueError:
        raise unreadable(response, "is not JSON") from None


def _retry_after(headers: httpx.Headers) -> int | None:
    """The number of seconds in Retry-After, which has a number or a date."""
    value = headers.get("retry-after", "")
    if value.isdecimal():
        return int(value)
    try:
        return max(0, round(parsedate_to_datetime(value).timestamp() - time.time()))
    except (ValueError, TypeError):
        return None


def _failure(error: Exception, request: httpx.Request) -> SegmentationError:
    if isinstance(error, httpx.TimeoutException):
        seconds: float = request.extensions["timeout"]["read"]  # pyright: ignore
        return SegmentationError("timed_out", f"No data received for {seconds:g} s. Try again, or raise timeout.")
    why = str(error) or type(error).__name__
    return SegmentationError(
        "connection_failed", f"The connection failed: {why}. Check the address and the network, then try again."
    )


def _event_of(block: str, response: httpx.Response) -> Event | None:
    """A line is a field's name, a colon, at most one space, and the value; a line that begins with a colon is a comment."""
    fields: dict[str, str] = {}
    for line in block.split("\n"):
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        fields[name] = f"{fields['data']}\n{value}" if name == "data" and "data" in fields else value
    if not fields.get("data"):
        return None
    return Event(fields.get("event", "message"), parse_json(fields["data"], response), fields.get("id"))


def _address_of(base_url: str | None) -> str:
    text = base_url or os.environ.get("SEGMENTATION_BASE_URL", "")
    if not text:
        raise invalid_input("The client has no address. Give it a base_url, or set SEGMENTATION_BASE_URL.")
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise invalid_input(f"{text} is not an address. One looks like https://segmentation.example.com")
    return text.rstrip("/")


def _key_of(api_key: str | None) -> Callable[[], str]:
    key = (api_key if api_key is not None else os.environ.get("SEGMENTATION_API_KEY", "")).strip()
    if not key:
        raise invalid_input(
            "The client has no credential. Give it an api_key or an access_token, or set SEGMENTATION_API_KEY."
        )
    odd = re.search(r"[^!-~]", key)
    if odd is not None:
        raise invalid_input(
            f"The API key contains “{odd[0]}”, as no key does. Was it shortened? Copy the whole key."
        )
    return lambda: key
