"""Two ways to do the same: everything else is written once, as coroutines over one of these.

The coroutines of a `BlockingIO` never wait for an event loop: `run` carries one out from its beginning to its end.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator, Protocol, Sequence, TypeVar

import httpx

T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, T]]


class IO(Protocol):
    """What the client needs of the world."""

    async def send(self, request: httpx.Request, follow_redirects: bool) -> httpx.Response:
        """Sends a request, and gives the answer with its body unread."""
        ...

    def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The body, piece by piece as it comes."""
        ...

    async def close(self, response: httpx.Response) -> None: ...

    async def sleep(self, seconds: float) -> None: ...

    async def all(self, works: Sequence[Work[T]], limit: int) -> list[T]:
        """Does all, at most so many at a time. After a failure no further one begins, and the first failure is raised."""
        ...


class AsyncIO:
    """On asyncio."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def send(self, request: httpx.Request, follow_redirects: bool) -> httpx.Response:
        return await self.http.send(request, stream=True, follow_redirects=follow_redirects)

    def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        return response.aiter_bytes()

    async def close(self, response: httpx.Response) -> None:
        await response.aclose()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def all(self, works: Sequence[Work[T]], limit: int) -> list[T]:
        room = asyncio.Semaphore(limit)

        async def one(work: Work[T]) -> T:
            async with room:
                return await work()

        tasks = [asyncio.ensure_future(one(work)) for work in works]
        try:
            return list(await asyncio.gather(*tasks))
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise


class BlockingIO:
    """In the caller's thread; several things at a time in threads of their own."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    async def send(self, request: httpx.Request, follow_redirects: bool) -> httpx.Response:
        return self.http.send(request, stream=True, follow_redirects=follow_redirects)

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


def _do(work: Work[T]) -> T:
    return run(work())


def run(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine over a `BlockingIO` returns."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    work.close()
    raise RuntimeError("A blocking call waited for an event loop.")


def iterate(items: AsyncGenerator[T, None]) -> Iterator[T]:
    """What an asynchronous generator over a `BlockingIO` yields."""

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
