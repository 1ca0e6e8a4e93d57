"""Base of the generated operations."""

from __future__ import annotations

from typing import Any, AsyncGenerator, AsyncIterator, Iterator, Mapping

from .connection import Connection, Event
from .io import iterate, run
from ..options import RequestOptions


class AsyncOperations:
    """Asks the service for operations."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def _ask(self, route: str, path: Mapping[str, str], *, options: RequestOptions, **request: Any) -> Any:
        return (await self._connection.ask(route, path, options, key=options.get("idempotency_key"), **request)).data

    def _items(
        self, route: str, path: Mapping[str, str], *, query: Mapping[str, Any], options: RequestOptions
    ) -> AsyncIterator[Any]:
        return items_of(self._connection, route, path, query, options)

    def _stream(self, route: str, path: Mapping[str, str], *, options: RequestOptions) -> AsyncIterator[Event]:
        return self._connection.events(route, path, options)


class Operations:
    """The same, without an event loop."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _ask(self, route: str, path: Mapping[str, str], *, options: RequestOptions, **request: Any) -> Any:
        return run(self._connection.ask(route, path, options, key=options.get("idempotency_key"), **request)).data

    def _items(
        self, route: str, path: Mapping[str, str], *, query: Mapping[str, Any], options: RequestOptions
    ) -> Iterator[Any]:
        return iterate(items_of(self._connection, route, path, query, options))

    def _stream(self, route: str, path: Mapping[str, str], *, options: RequestOptions) -> Iterator[Event]:
        return iterate(self._connection.events(route, path, options))


async def items_of(
    connection: Connection, route: str, path: Mapping[str, str], query: Mapping[str, Any], options: RequestOptions
) -> AsyncGenerator[Any, None]:
    """The items of a list's pages. Asks for a page after the items of the one before."""
    token: str | None = None
    while True:
        page = (await connection.ask(route, path, options, query={**query, "nextToken": token}, needs=("items", "nextToken"))).data
        for item in page["items"]:
            yield item
        token = page["nextToken"]
        if token is None:
            return
