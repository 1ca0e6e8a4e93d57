"""Requests to the service and to its storage: credentials, time limits, repetitions."""

from __future__ import annotations

import json
import math
import random
import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, AsyncGenerator, Awaitable, Callable, Sequence, TypeVar, cast
from urllib.parse import quote, urljoin

import httpx

from .answers import bad_header, failure, has_fields, may_pass, parse_json, refusal, storage_refusal, unreadable
from .io import IO
from .settings import AccessToken, address_of, count_of, credential_of, delay_of, is_url, seconds_of, token_of
from .._values import native, plain, shown
from .._version import __version__
from ..errors import SegmentationError, invalid_input
from ..options import CallOptions

T = TypeVar("T")

LONGEST_PAUSE = 60.0
"""Seconds. The longest pause: a caller follows a later Retry-After itself."""
_USER_AGENT = f"segmentation-client-python/{__version__}"
_MOST_REDIRECTS = 10
_HEADER_NAME = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Za-z]+")
_HEADER_VALUE = re.compile(r"[\t -~]*")


@dataclass(frozen=True)
class Event:
    """One event of an operation that answers with a stream of them."""

    event: str
    data: Any
    id: str | None = None


@dataclass(frozen=True)
class Answer:
    """A success of the service, with its body read."""

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
        limits: httpx.Timeout,
        max_retries: int,
        retry_delay: float,
        parallel: int,
    ) -> None:
        self.io = io
        self._limits = limits
        self.parallel = count_of("parallel", parallel, 1)
        self._base_url = address_of(base_url)
        self._credential = credential_of(api_key, access_token)
        self._max_retries = count_of("max_retries", max_retries, 0)
        self._retry_delay = delay_of("retry_delay", retry_delay)

    async def ask(
        self,
        route: str,
        path: Mapping[str, str],
        options: CallOptions,
        *,
        key: str | None = None,
        is_empty: bool = False,
        needs: Sequence[str] = (),
        **request: Any,
    ) -> Answer:
        """Asks the service, and repeats after temporary failures: a POST with one Idempotency-Key takes effect
        once. An answer without the required fields is unreadable.
        """
        if route.startswith("POST"):
            key = key or str(uuid.uuid4())

        async def attempt(failures: int) -> Answer:
            until = time.monotonic() + self.timeout_of(options)
            try:
                response = await self.open(route, path, options, key=key, **request)
            except SegmentationError as error:
                # The first answer was lost, and the resource is gone now.
                if failures > 0 and is_empty and error.status == 404:
                    return Answer(None, httpx.Headers())
                raise
            data = parse_json(await self.read(response, until), response)
            if needs and not has_fields(data, needs):
                raise unreadable(response, f"has no {' and '.join(needs)}")
            return Answer(data, response.headers)

        return await self.persist(options, attempt)

    async def open(
        self,
        route: str,
        path: Mapping[str, object],
        options: CallOptions,
        *,
        key: str | None = None,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] = {},
    ) -> httpx.Response:
        """Asks the service once, and gives its success unread. The caller's `http` adds its defaults for every
        request.
        """
        method, template = route.split(" ")
        parts: dict[str, str] = {}
        for name, value in path.items():
            # Dots would lead to another path.
            if not isinstance(value, str) or value in ("", ".", ".."):
                raise invalid_input(f"The operation needs a {name}; {shown(value)} is none.")
            parts[name] = quote(value, safe="", errors="replace")
        content = None if body is None else json.dumps(plain(body, "The body")).encode()
        given = {name: native(value) for name, value in (query or {}).items() if value is not None}
        token = await token_of(self._credential, self.io.is_blocking)
        sent = _headers_of(
            {"user-agent": self._user_agent()},
            options.get("headers") or {},
            headers,
            {"authorization": f"Bearer {token}", "idempotency-key": key or None},
            {"content-type": None if body is None else "application/json"},
        )
        request = self.io.http.build_request(
            method,
            self._base_url + template.format_map(parts),
            headers=sent,
            content=content,
            params=given or None,
            timeout=self._limits_of(options),
        )
        response = await self._send(request)
        if not response.is_success:
            raise refusal(response, await self.read(response))
        return response

    async def events(
        self, route: str, path: Mapping[str, str], options: CallOptions
    ) -> AsyncGenerator[Event, None]:
        """Gives the events of one answer until it ends, or until the time limit passes in silence."""
        # A proxy that compresses holds events back.
        headers = {"accept": "text/event-stream", "accept-encoding": "identity"}
        response = await self.open(route, path, options, headers=headers)
        text = b""
        try:
            async for piece in self.io.pieces(response):
                # Joins a line end that was cut in two.
                text = re.sub(rb"\r\n|\r(?!\Z)", b"\n", text + piece)
                *blocks, text = text.split(b"\n\n")
                for block in blocks:
                    event = _event_of(block.decode(errors="replace"), response)
                    if event is not None:
                        yield event
        except httpx.HTTPError as error:
            raise failure(error, response.request) from error
        finally:
            await self.io.close(response)

    async def download(self, url: str, options: CallOptions, read: Callable[[bytes], T]) -> T:
        """Downloads a URL, and repeats after temporary failures, or if `read` finds damage (ValueError)."""

        async def attempt(_: int) -> T:
            response = await self._send(self._to_storage("GET", url, options))
            for _ in range(_MOST_REDIRECTS):
                if not response.has_redirect_location:
                    break
                await self.io.close(response)
                # The caller's `http` would send its cookies along.
                url_there = urljoin(str(response.url), response.headers["location"])
                response = await self._send(self._to_storage("GET", url_there, options))
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
        request = self._to_storage("PUT", url, options, content, {"content-type": content_type})
        response = await self._send(request)
        answer = await self.read(response)
        if not response.is_success:
            raise storage_refusal(response, answer)
        return response.headers

    def _to_storage(
        self,
        method: str,
        url: object,
        options: CallOptions,
        content: bytes | None = None,
        headers: Mapping[str, str | None] = {},
    ) -> httpx.Request:
        """A request to another host than the service's: of the caller's settings it has only the User-Agent."""
        if not (isinstance(url, str) and is_url(url)):
            raise invalid_input(f"{shown(_without_query(url))} is not a URL of a file. Give an https URL.")
        limits = {"timeout": self._limits_of(options).as_dict()}
        sent = _headers_of({"user-agent": self._user_agent(), "accept": "*/*"}, headers)
        return httpx.Request(method, url, headers=sent, content=content, extensions=limits)

    def _user_agent(self) -> str:
        """The caller's own, if `http` has another one than httpx's default."""
        own = self.io.http.headers.get("user-agent")
        return _USER_AGENT if own is None or own.startswith("python-httpx/") else own

    async def persist(self, options: CallOptions, attempt: Callable[[int], Awaitable[T]]) -> T:
        """Repeats an attempt after temporary failures; the attempt takes the number of failures before it."""
        failures = 0
        most = count_of("max_retries", options.get("max_retries", self._max_retries), 0)
        while True:
            try:
                return await attempt(failures)
            except SegmentationError as error:
                asked = error.retry_after_seconds or 0
                if failures >= most or not may_pass(error) or asked > LONGEST_PAUSE:
                    raise
                pause = asked + self.pause(failures)
                if "on_retry" in options:
                    options["on_retry"](error, pause)
            await self.io.sleep(pause)
            failures += 1

    def pause(self, failures: int) -> float:
        """A random time from half a pause to a whole one, in seconds: clients that failed together don't come back
        together.
        """
        return min(self._retry_delay * 2.0**failures, LONGEST_PAUSE) * random.uniform(0.5, 1)

    def timeout_of(self, options: CallOptions) -> float:
        """A request's time limit in seconds; infinity without a limit."""
        seconds = self._limits_of(options).read
        return math.inf if seconds is None else seconds

    def _limits_of(self, options: CallOptions) -> httpx.Timeout:
        return httpx.Timeout(seconds_of("timeout", options["timeout"])) if "timeout" in options else self._limits

    async def _send(self, request: httpx.Request) -> httpx.Response:
        if self.io.http.is_closed:
            raise invalid_input("The client is closed. Make another one.")
        try:
            return await self.io.send(request)
        except httpx.LocalProtocolError:
            pass
        except httpx.HTTPError as error:
            raise failure(error, request) from error
        # httpx's error would cite the header.
        raise bad_header()

    async def read(self, response: httpx.Response, until: float | None = None) -> bytes:
        """Reads a whole body; with a deadline, until that time of the monotonic clock."""
        parts: list[bytes] = []
        try:
            async for piece in self.io.pieces(response):
                parts.append(piece)
                if until is not None and time.monotonic() > until:
                    raise httpx.ReadTimeout("")
        except httpx.HTTPError as error:
            raise failure(error, response.request) from error
        finally:
            await self.io.close(response)
        return b"".join(parts)


def _headers_of(*given: object) -> httpx.Headers:
    """The headers that have a value; a later value takes an earlier one's place."""
    headers = httpx.Headers()
    for each in given:
        if not isinstance(each, Mapping):
            raise invalid_input(f"The headers must be a dict, and are {shown(each)}.")
        for name, value in cast("Mapping[object, object]", each).items():
            if value is None:
                continue
            if not (isinstance(name, str) and isinstance(value, str)):
                raise invalid_input(f"The header {shown(name)} must be a string, and is {shown(value)}.")
            if not (_HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(value)):
                raise bad_header()
            headers[name] = value.strip()
    return headers


def _without_query(url: object) -> object:
    """A URL for a message, without its query, which may be a signature."""
    return re.split(r"[?#]", url, maxsplit=1)[0] if isinstance(url, str) else url


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
