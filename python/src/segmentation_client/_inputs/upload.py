"""Inputs, and their way into the service's storage."""

from __future__ import annotations

import inspect
import os
import re
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Literal, TypedDict, Union, cast
from urllib.parse import unquote, urlsplit

from .. import models as m
from .._http.connection import Connection
from .file_kinds import HEAD_BYTES, UNKNOWN_TYPE, content_type_of_head
from .._values import bytes_of, shown
from ..errors import SegmentationError, invalid_input
from ..options import CallOptions

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias


class UploadedInput(TypedDict):
    """A file that was uploaded before."""

    taskId: str
    """The result of `upload`, or a `taskId` of an earlier job."""
    name: NotRequired[str]
    """The file's name, for results."""


Input: TypeAlias = "Union[str, os.PathLike[str], bytes, bytearray, memoryview, BinaryIO, UploadedInput]"
"""A picture or a video: a path, its URL, its bytes, an open file, or the `{"taskId": …}` of an uploaded one."""

IMPORT_TIMEOUT = 300.0
"""Seconds. The service has four minutes to fetch a file."""
MARGIN = 30.0
"""The client uses no upload URL with fewer seconds left."""
MOST_AT_ONCE = 64_000_000
"""The client sends a larger file in parts: a lost connection costs only a part. In bytes."""


@dataclass(frozen=True)
class Source:
    """A file with its bytes, its URL, or its task_id if it is uploaded already."""

    name: str | None
    size: int
    read: Callable[[int, int], bytes]
    """Reads bytes from an offset on."""
    url: str | None = None
    task_id: str | None = None


def sources_of(given: Any) -> list[Source]:
    """Opens an input, or several."""
    # A numpy array has items, too; a check of its type refuses it.
    is_file = hasattr(given, "read") or hasattr(given, "tolist") or bytes_of(given) is not None
    is_one = is_file or isinstance(given, (str, os.PathLike, Mapping)) or not hasattr(given, "__iter__")
    inputs: list[Any] = [given] if is_one else list(cast("Iterable[Any]", given))
    if not inputs:
        raise invalid_input("There is no input. Give a picture or a video.")
    return [source_of(each) for each in inputs]


def source_of(given: Input) -> Source:
    """Opens an input. Raises `invalid_input` if it cannot be read, or is empty."""
    source = _opened(given)
    if source.size == 0 and source.url is None and source.task_id is None:
        hint = " If it has been read before, rewind it: file.seek(0)" if hasattr(given, "read") else ""
        raise invalid_input(f"{source.name or 'The input'} is empty.{hint}")
    return source


def _opened(given: Any) -> Source:
    content = bytes_of(given)
    if content is not None:
        return _of_bytes(content, None)
    if isinstance(given, Mapping):
        return _of_upload(cast("Mapping[str, object]", given))
    if isinstance(given, str) and re.match(r"https?://", given, re.IGNORECASE):
        name = unquote(urlsplit(given).path).rsplit("/", 1)[-1] or None
        return Source(name, 0, _nothing, given)
    if isinstance(given, (str, os.PathLike)):
        return _of_path(cast("str | os.PathLike[str]", given))
    if not hasattr(given, "read"):
        raise invalid_input(
            f"An input is {shown(given)}. Give a path, a URL, the bytes of a file, an open file or "
            'the {"taskId": …} of an upload.'
        )
    try:
        read = given.read()
    except (OSError, ValueError) as error:
        raise invalid_input(f"{_name_of(given) or 'The file'} cannot be read: {error}.") from error
    if inspect.iscoroutine(read):
        read.close()
        raise invalid_input("The file is read by a coroutine. Give what it returns: await file.read()")
    content = bytes_of(read)
    if content is None:
        raise invalid_input(f"{_name_of(given) or 'The file'} is open as text. Open it as binary: open(path, 'rb')")
    return _of_bytes(content, _name_of(given))


def _name_of(file: object) -> str | None:
    name = getattr(file, "name", None)
    return os.path.basename(name) if isinstance(name, str) else None


def _nothing(_: int, __: int) -> bytes:
    return b""


def _of_upload(given: Mapping[str, object]) -> Source:
    task_id, name = given.get("taskId"), given.get("name")
    if not (isinstance(task_id, str) and task_id) or not isinstance(name, (str, type(None))):
        raise invalid_input('An input that is a dict needs the taskId of an upload: {"taskId": "…"}')
    return Source(name, 0, _nothing, task_id=task_id)


def _of_bytes(content: bytes, name: str | None) -> Source:
    return Source(name, len(content), lambda start, length: content[start : start + length])


def _of_path(given: str | os.PathLike[str]) -> Source:
    def read(start: int, length: int) -> bytes:
        try:
            with path.open("rb") as file:
                file.seek(start)
                content = file.read(length)
        except OSError as error:
            raise invalid_input(f"{shown(str(path))} cannot be read: {error.strerror}.") from error
        if len(content) != length:
            raise invalid_input(f"{shown(str(path))} has changed while it was uploaded.")
        return content

    try:
        path = Path(os.fsdecode(given))
        size = path.stat().st_size
        read(0, min(1, size))
        return Source(path.name, size, read)
    except OSError as error:
        raise invalid_input(f"{shown(os.fsdecode(given))} cannot be read: {error.strerror}.") from error
    except ValueError:
        raise invalid_input(f"{shown(given)} is no path. Give the bytes of a file as bytes.") from None


def content_type_of(source: Source) -> str:
    """A file's MIME type, by its first bytes; `application/octet-stream` if they show none."""
    return content_type_of_head(source.read(0, min(HEAD_BYTES, source.size)))


def assert_kind(wanted: Literal["image", "video"], content_type: str, name: str | None) -> None:
    """Raises `invalid_input` if a file is of the wrong kind."""
    kind = content_type.split("/")[0]
    if kind not in (wanted, "application"):
        method = "segment_video" if kind == "video" else "segment"
        raise invalid_input(f"{name or 'The input'} is {content_type}: give it to client.{method} instead.")


@dataclass(frozen=True)
class Uploaded:
    """A file that is in the storage."""

    task_id: str
    content_type: str
    size: int


async def upload_source(
    connection: Connection,
    source: Source,
    options: CallOptions,
    key: str | None,
    on_bytes: Callable[[int], None],
) -> Uploaded:
    """Uploads a file, unless it is uploaded already. The service itself fetches a file at a public URL, if it can.
    It does not if a later run of the program may repeat the upload: it would import the file again. `key` is the
    upload's Idempotency-Key, if it has one.
    """
    if source.task_id is not None:
        return Uploaded(source.task_id, UNKNOWN_TYPE, 0)
    if source.url is not None:
        imported = None if key else await _import_from(connection, source.url, options)
        if imported is not None:
            return imported
        content = await connection.download(source.url, options, bytes)
        if not content:
            raise invalid_input(f"{source.name or 'The file at the URL'} is empty.")
        source = _of_bytes(content, source.name)
    content_type = content_type_of(source)
    sending = _Sending(connection, source, content_type, options, on_bytes)
    if source.size > MOST_AT_ONCE or (source.size > 0 and key):
        try:
            return Uploaded(await sending.in_parts(key or str(uuid.uuid4())), content_type, source.size)
        except SegmentationError as error:
            # A service with only the operations of the specification lacks it.
            if error.code not in ("not_found", "method_not_allowed"):
                raise
    return Uploaded(await sending.at_once(), content_type, source.size)


async def _import_from(connection: Connection, url: str, options: CallOptions) -> Uploaded | None:
    """None if the service fetches nothing, or nothing from there."""
    # A service on this machine may fetch from it.
    if not re.match(r"https:|http://127\.0\.0\.1[:/]", url, re.IGNORECASE):
        return None
    longer: CallOptions = {"timeout": IMPORT_TIMEOUT, **options}
    try:
        answer = await connection.ask("POST /v1/uploads/import", {}, longer, body={"url": url}, needs=("taskId", "contentType", "size"))
    except SegmentationError as error:
        if error.code in ("not_found", "url_forbidden"):
            return None
        raise
    data: m.ImportedUpload = answer.data
    return Uploaded(data["taskId"], data["contentType"], data["size"])


@dataclass(frozen=True)
class _Sending:
    connection: Connection
    source: Source
    content_type: str
    options: CallOptions
    on_bytes: Callable[[int], None]

    async def at_once(self) -> str:
        # One place for all attempts: places without a file count against the account.
        route, fields = "POST /v1/uploads/presign", ("taskId", "uploadUrl")
        place, until = await self._sign(route, None, fields)

        async def attempt(_: int) -> None:
            nonlocal place, until
            if time.time() > until:
                place, until = await self._sign(route, None, fields)
            content = self.source.read(0, self.source.size)
            await self.connection.put(place["uploadUrl"], content, self.content_type, self.options)

        await self.connection.persist(self.options, attempt)
        self.on_bytes(self.source.size)
        return cast(str, place["taskId"])

    async def in_parts(self, key: str) -> str:
        # With the same key it is the same upload, with new URLs.
        route, fields = "POST /v1/uploads/parts", ("taskId", "parts")
        place, until = await self._sign(route, key, fields)
        sent: list[m.CompleteUploadRequestPart] = []
        before = 0
        for index, part in enumerate(place["parts"]):
            content = self.source.read(before, part["size"])

            async def attempt(_: int, index: int = index, content: bytes = content) -> str:
                nonlocal place, until
                if time.time() > until:
                    place, until = await self._sign(route, key, fields)
                url = place["parts"][index]["uploadUrl"]
                return str((await self.connection.put(url, content, None, self.options)).get("etag", ""))

            etag: str = await self.connection.persist(self.options, attempt)
            sent.append({"partNumber": part["partNumber"], "etag": etag})
            before += part["size"]
            self.on_bytes(before)
        # Without parts, an earlier run has completed it.
        if sent:
            path = {"task_id": place["taskId"]}
            complete = "POST /v1/uploads/{task_id}/complete"
            await self.connection.ask(complete, path, self.options, body={"parts": sent})
        self.on_bytes(self.source.size)
        return cast(str, place["taskId"])

    async def _sign(self, route: str, key: str | None, fields: tuple[str, ...]) -> tuple[Any, float]:
        """Signed URLs of the service, and the time (epoch seconds) until which the client uses them."""
        asked_at = time.time()
        body = {"contentType": self.content_type, "size": self.source.size}
        needs = (*fields, "expiresIn")
        place = (await self.connection.ask(route, {}, self.options, key=key, body=body, needs=needs)).data
        return place, asked_at + place["expiresIn"] - MARGIN
