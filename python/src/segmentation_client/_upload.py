"""Inputs, and their way into the service's storage."""

from __future__ import annotations

import os
import re
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Literal, Union, cast
from urllib.parse import unquote, urlsplit

from . import models as m
from ._connection import Connection
from .errors import SegmentationError, invalid_input
from .options import CallOptions

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

Input: TypeAlias = "Union[str, os.PathLike[str], bytes, BinaryIO]"
"""A picture or a clip: a path, the URL where it is, its bytes, or an open file."""

IMPORT_TIMEOUT = 300.0
"""Seconds. The service has four minutes to fetch a file."""
MARGIN = 30.0
"""An upload URL with fewer seconds left than this is not used."""
MOST_AT_ONCE = 64_000_000
"""A larger file is sent in parts: what a lost connection costs is a part. In bytes."""

_SIGNATURES: list[tuple[bytes, str]] = [
    (rb"\x89PNG", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"RIFF.{4}WEBP", "image/webp"),
    (rb"GIF8", "image/gif"),
    (rb".{4}ftypavi[fs]", "image/avif"),
    (rb".{4}ftyp(?:hei|mif|msf)", "image/heic"),
    (rb"(?:II\*\0|MM\0\*)", "image/tiff"),
    (rb"BM", "image/bmp"),
    (rb".{4}ftypqt", "video/quicktime"),
    (rb".{4}ftyp", "video/mp4"),
    (rb".E\xdf\xa3", "video/webm"),
    (rb"RIFF.{4}AVI ", "video/x-msvideo"),
]


@dataclass(frozen=True)
class Source:
    """What to upload: a file that can be read from anywhere, or the URL of one."""

    name: str | None
    size: int
    read: Callable[[int, int], bytes]
    """Gives so many bytes from an offset on."""
    url: str | None = None


def source_of(given: Input) -> Source:
    """Opens an input. Raises `invalid_input` if it cannot be read."""
    if isinstance(given, bytes):
        return _of_bytes(given, None)
    if isinstance(given, str) and re.match(r"https?://", given):
        name = unquote(urlsplit(given).path).rsplit("/", 1)[-1] or None
        return Source(name, 0, lambda _, __: b"", given)
    if isinstance(given, (str, os.PathLike)):
        return _of_path(Path(given))
    content = cast(object, given.read()) if hasattr(given, "read") else None
    if not isinstance(content, bytes):
        raise invalid_input(f"{given!r} is no input. Give a path, a URL, bytes or a file that is open as binary.")
    name = getattr(given, "name", None)
    return _of_bytes(content, os.path.basename(name) if isinstance(name, str) else None)


def _of_bytes(content: bytes, name: str | None) -> Source:
    return Source(name, len(content), lambda start, length: content[start : start + length])


def _of_path(path: Path) -> Source:
    def read(start: int, length: int) -> bytes:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(length)

    try:
        read(0, 1)
        return Source(path.name, path.stat().st_size, read)
    except OSError as error:
        raise invalid_input(f"{path} cannot be read: {error.strerror}.") from error


def content_type_of(source: Source) -> str:
    """A file's MIME type, of what its first bytes say; `application/octet-stream` if they say nothing."""
    start = source.read(0, 12)
    for signature, content_type in _SIGNATURES:
        if re.match(signature, start, re.DOTALL):
            return content_type
    return "application/octet-stream"


def assert_kind(wanted: Literal["image", "video"], content_type: str, name: str | None) -> None:
    """Raises `invalid_input` if a file is of the other kind."""
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
    """Uploads a file. The service fetches a file at a public URL itself, if it can, and if no later run of the program may
    repeat the upload: it would import the file again. `key` is the upload's Idempotency-Key, if it has one.
    """
    if source.url is not None:
        imported = None if key else await _import_from(connection, source.url, options)
        if imported is not None:
            return imported
        source = _of_bytes(await connection.download(source.url, options, bytes), source.name)
    content_type = content_type_of(source)
    sending = _Sending(connection, source, content_type, options, on_bytes)
    if source.size > MOST_AT_ONCE or (source.size > 0 and key):
        try:
            return Uploaded(await sending.in_parts(key or str(uuid.uuid4())), content_type, source.size)
        except SegmentationError as error:
            # An older service has no such operation.
            if error.code not in ("not_found", "method_not_allowed"):
                raise
    return Uploaded(await sending.at_once(), content_type, source.size)


async def _import_from(connection: Connection, url: str, options: CallOptions) -> Uploaded | None:
    """None if the service fetches nothing, or nothing from there."""
    # A service on this machine may fetch from it.
    if not re.match(r"https:|http://127\.0\.0\.1[:/]", url):
        return None
    longer: CallOptions = {"timeout": IMPORT_TIMEOUT, **options}
    try:
        answer = await connection.ask("POST /v1/uploads/import", {}, longer, body={"url": url})
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
        place, until = await self._sign("POST /v1/uploads/presign", None)

        async def attempt(_: int) -> None:
            nonlocal place, until
            if time.time() > until:
                place, until = await self._sign("POST /v1/uploads/presign", None)
            content = self.source.read(0, self.source.size)
            await self.connection.put(place["uploadUrl"], content, self.content_type, self.options)

        await self.connection.persist(self.options, attempt)
        self.on_bytes(self.source.size)
        return cast(str, place["taskId"])

    async def in_parts(self, key: str) -> str:
        # With the same key it is the same upload, with new URLs.
        place, until = await self._sign("POST /v1/uploads/parts", key)
        sent: list[m.CompleteUploadRequestPart] = []
        before = 0
        for index, part in enumerate(place["parts"]):
            content = self.source.read(before, part["size"])

            async def attempt(_: int, index: int = index, content: bytes = content) -> str:
                nonlocal place, until
                if time.time() > until:
                    place, until = await self._sign("POST /v1/uploads/parts", key)
                url = place["parts"][index]["uploadUrl"]
                return str((await self.connection.put(url, content, None, self.options)).get("etag", ""))

            etag: str = await self.connection.persist(self.options, attempt)
            sent.append({"partNumber": part["partNumber"], "etag": etag})
            before += part["size"]
            self.on_bytes(before)
        # Without parts, an earlier run has completed it.
        if sent:
            path = {"task_id": place["taskId"]}
            route = "POST /v1/uploads/{task_id}/complete"
            await self.connection.ask(route, path, self.options, body={"parts": sent})
        self.on_bytes(self.source.size)
        return cast(str, place["taskId"])

    async def _sign(self, route: str, key: str | None) -> tuple[Any, float]:
        """What the service has signed, and until when (epoch seconds) it is used."""
        asked_at = time.time()
        body = {"contentType": self.content_type, "size": self.source.size}
        place = (await self.connection.ask(route, {}, self.options, key=key, body=body)).data
        return place, asked_at + place["expiresIn"] - MARGIN
