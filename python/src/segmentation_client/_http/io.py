"""Two ways of input and output: everything else is written once, as coroutines over one of these.

The coroutines of a `BlockingIO` never wait for an event loop: `run` carries one out from its beginning to its
end.
"""

from __future__ import annotations

import itertools
import re
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator, Protocol, Sequence, TypeVar

import anyio
import httpx
from anyio.lowlevel import RunVar

from .._values import shown
from ..errors import invalid_input

T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, T]]


class IO(Protocol):
    """Network, clock and concurrency of the client."""

    is_blocking: bool

    @property
    def http(self) -> httpx.Client | httpx.AsyncClient:
        """The httpx client that builds and sends requests."""
        ...

    async def send(self, request: httpx.Request) -> httpx.Response:
        """Sends a request, and gives the answer with its body unread. Does not follow redirects."""
        ...

    def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The body, piece by piece as it comes."""
        ...

    async def close(self, response: httpx.Response) -> None: ...

    async def sleep(self, seconds: float) -> None: ...

    async def all(self, works: Sequence[Work[T]], limit: int) -> list[T]:
        """Runs all, a limited number at a time. After a failure it begins no further one, and raises the first
        failure.
        """
        ...

    def is_abort(self, error: BaseException) -> bool:
        """True if the caller has given up: by Ctrl-C, or by canceling the task."""
        ...

    async def shield(self, work: Work[object]) -> None:
        """Runs work that a cancellation must not end."""
        ...


class AsyncIO:
    """On asyncio or trio."""

    is_blocking = False
    _numbers = itertools.count()

    def __init__(self, http: httpx.AsyncClient | None) -> None:
        self._given = http
        # Connections belong to an event loop, and the next `asyncio.run` has another.
        self._own: RunVar[httpx.AsyncClient] = RunVar(f"segmentation_client {next(self._numbers)}")
        self._is_closed = False

    @property
    def http(self) -> httpx.AsyncClient:
        if self._given is not None:
            return self._given
        http = self._own.get(None)
        if http is None:
            if self._is_closed:
                raise invalid_input("The client is closed. Make another one.")
            http = new_http(httpx.AsyncClient)
            self._own.set(http)
        return http

    async def aclose(self) -> None:
        """Closes the connections, except for those of the caller's `http`."""
        self._is_closed = True
        http = None if self._given is not None else self._own.get(None)
        if http is not None:
            await http.aclose()

    async def send(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self.http.send(request, stream=True, auth=httpx.Auth(), follow_redirects=False)
        except RuntimeError as error:
            # The caller's `http` has a connection of an event loop that has ended; it drops the connection now.
            if "loop" not in str(error):
                raise
            raise httpx.ConnectError(str(error), request=request) from error

    def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return response.aiter_bytes()

    async def close(self, response: httpx.Response) -> None:
        await response.aclose()

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    async def all(self, works: Sequence[Work[T]], limit: int) -> list[T]:
        if len(works) < 2:
            return [await work() for work in works]
        done: dict[int, T] = {}
        failures: list[BaseException] = []
        left = iter(enumerate(works))

        async def work_on() -> None:
            for index, work in left:
                try:
                    done[index] = await work()
                except anyio.get_cancelled_exc_class():
                    raise
                except BaseException as error:
                    failures.append(error)
                    group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            for _ in range(min(limit, len(works))):
                group.start_soon(work_on)
        if failures:
            raise failures[0]
        return [done[index] for index in range(len(works))]

    def is_abort(self, error: BaseException) -> bool:
        return isinstance(error, (KeyboardInterrupt, anyio.get_cancelled_exc_class()))

    async def shield(self, work: Work[object]) -> None:
        with anyio.CancelScope(shield=True):
            await work()


class BlockingIO:
    """In the caller's thread; concurrent work in further threads."""

    is_blocking = True

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    async def send(self, request: httpx.Request) -> httpx.Response:
        return self.http.send(request, stream=True, auth=httpx.Auth(), follow_redirects=False)

    async def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        for piece in response.iter_bytes():
            yield piece

    async def close(self, response: httpx.Response) -> None:
        response.close()

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def all(self, works: Sequence[Work[T]], limit: int) -> list[T]:
        if len(works) < 2:
            return [await work() for work in works]
        with ThreadPoolExecutor(limit) as pool:
            futures = [pool.submit(_do, work) for work in works]
            try:
                done, _ = wait(futures, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
                return [future.result() for future in futures]
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


    def is_abort(self, error: BaseException) -> bool:
        return isinstance(error, KeyboardInterrupt)

    async def shield(self, work: Work[object]) -> None:
        await work()


Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)


def new_http(kind: type[Http]) -> Http:
    """A client of httpx, with the proxies and certificates of the environment."""
    try:
        return kind()
    except (httpx.InvalidURL, ValueError, OSError, ImportError) as error:
        # The address of a proxy may have a password.
        why = re.sub(r"//[^/@]*@", "//…@", str(error))
    raise invalid_input(
        f"httpx does not take the proxies or certificates of the environment (HTTPS_PROXY, SSL_CERT_FILE …): {why}"
    )


def given_http(kind: type[Http], given: object, owner: str) -> Http | None:
    """The caller's client of httpx. Raises `invalid_input` if it is of the wrong kind."""
    if given is None or isinstance(given, kind):
        return given
    raise invalid_input(f"{owner} takes an httpx.{kind.__name__} as http, and this is {shown(given)}.")


def _do(work: Work[T]) -> T:
    return run(work())


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine over a `BlockingIO` and returns its result."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    work.close()
    raise RuntimeError("A blocking call waited for an event loop.")


def iterate(items: AsyncGenerator[T, None]) -> Iterator[T]:
    """Yields the items of an asynchronous generator over a `BlockingIO`."""

    async def following() -> T:
        return await items.__anext__()

    try:
        while True:
            try:
                item = run(following())
            except StopAsyncIteration:
                return
            yield item
    finally:
        run(items.aclose())
