"""Formats of masks: PNGs of one bit per pixel, and COCO's run-length encoding."""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREYSCALE_OF_ONE_BIT = b"\x01\x00\x00\x00\x00"
_BYTES_OF = [bytes(255 if byte >> (7 - bit) & 1 else 0 for bit in range(8)) for byte in range(256)]

Box = tuple[int, int, int, int]


class Rle(TypedDict):
    """A mask in the compressed run-length encoding of the COCO API, as pycocotools reads it."""

    size: list[int]
    """Height, then width, in pixels."""
    counts: str


class Mask:
    """One object in a picture."""

    index: int
    """Its place among the picture's masks, from 0: by prompt, then by falling confidence."""
    prompt: str | None
    """The prompt that it answers; None of a region's mask."""
    region: int | None
    """The region of the job that it answers, from 0; None for a prompt's mask."""
    label: str | None
    """The name of its region, if it has one."""
    confidence: float
    """0 to 1."""
    width: int
    """Of the picture as a viewer shows it, in pixels."""
    height: int
    box: Box
    """Left, top, width, height; (0, 0, 0, 0) of an empty mask."""
    area: int
    """The number of pixels inside."""
    png: bytes
    """The mask as the service wrote it."""

    def __init__(self, index: int, confidence: float, png: bytes) -> None:
        """Raises ValueError if the file is not a mask, or damaged."""
        self.index = index
        self.confidence = confidence
        self.png = png
        self.width, self.height, texts, pixels = read_mask_png(png)
        self.prompt = texts.get("prompt")
        self.region = int(texts["region"]) if "region" in texts else None
        self.label = texts.get("label")
        self.area = pixels.count(255)
        self.box = box_of(pixels, self.width)

    @property
    def category(self) -> str:
        """The category of the service's COCO documents: the prompt, the region's label, or `region`."""
        return self.prompt or self.label or "region"

    def bitmap(self) -> bytes:
        """The pixels, row by row: a byte each, 255 inside, 0 outside."""
        return read_mask_png(self.png)[3]

    def array(self) -> NDArray[np.bool_]:
        """The pixels as an array of numpy, height × width, True inside."""
        return array_of(self.bitmap(), self.width)

    def rle(self) -> Rle:
        """The mask as run-length encoding of COCO."""
        return encode_rle(self.bitmap(), self.width)

    def __repr__(self) -> str:
        region = f"region {self.region}" + (f" {self.label!r}" if self.label else "")
        what = region if self.prompt is None else repr(self.prompt)
        return f"<Mask {self.index} of {what}, confidence {self.confidence:.2f}, box {self.box}>"


def array_of(pixels: bytes, width: int) -> NDArray[np.bool_]:
    """Pixels, a byte each, row by row, as an array of numpy."""
    import numpy as np

    return np.frombuffer(pixels, np.uint8).reshape((-1, width)) > 0  # pyright: ignore


def read_mask_png(file: bytes) -> tuple[int, int, dict[str, str], bytes]:
    """The width, height, texts (iTXt chunks by keyword) and pixels (a byte each) of a mask as the service writes it (W3C PNG,
    third edition: one bit, grayscale, not interlaced). Raises ValueError if it is anything else, or damaged.
    """
    if not file.startswith(_SIGNATURE):
        raise ValueError("the mask is not a PNG")
    texts: dict[str, str] = {}
    packed = b""
    width = height = at = 0
    at = len(_SIGNATURE)
    kind = b""
    while kind != b"IEND":
        end = at + 8 + int.from_bytes(file[at : at + 4], "big")
        kind, data = file[at + 4 : at + 8], file[at + 8 : end]
        if end + 4 > len(file) or zlib.crc32(kind + data) != int.from_bytes(file[end : end + 4], "big"):
            raise ValueError("the mask is damaged")
        if kind == b"IHDR":
            width, height = int.from_bytes(data[:4], "big"), int.from_bytes(data[4:8], "big")
            if data[8:] != _GREYSCALE_OF_ONE_BIT:
                raise ValueError("the mask is not a PNG of one bit per pixel")
        elif kind == b"IDAT":
            packed += data
        elif kind == b"iTXt":
            # After the keyword: not compressed, no language, no translated keyword.
            keyword, *_, text = data.split(b"\0", 5)
            texts[keyword.decode()] = text.decode()
        at = end + 4
    try:
        filtered = zlib.decompress(packed)
    except zlib.error as error:
        raise ValueError("the mask is damaged") from error
    length = (width + 7) // 8
    if len(filtered) != (length + 1) * height:
        raise ValueError("the mask's rows do not match its size")
    rows = _unfilter(filtered, length)
    return width, height, texts, b"".join(b"".join(map(_BYTES_OF.__getitem__, row))[:width] for row in rows)


def _unfilter(filtered: bytes, length: int) -> list[bytes]:
    """Undoes the rows' filters (section 9 of the standard); a pixel's neighbors are a byte or a row away."""
    rows: list[bytes] = []
    above = bytes(length)
    for start in range(0, len(filtered), length + 1):
        kind, row = filtered[start], bytearray(filtered[start + 1 : start + 1 + length])
        if kind > 4:
            raise ValueError("the mask has an unknown filter")
        for i in range(length if kind else 0):
            left, corner = (row[i - 1], above[i - 1]) if i else (0, 0)
            guesses = (0, left, above[i], (left + above[i]) // 2, _paeth(left, above[i], corner))
            row[i] = (row[i] + guesses[kind]) & 255
        above = bytes(row)
        rows.append(above)
    return rows


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((abs(guess - left), 0, left), (abs(guess - above), 1, above), (abs(guess - corner), 2, corner))[2]


def box_of(pixels: bytes, width: int) -> Box:
    """Left, top, width, height of the pixels inside."""
    rows = [pixels[start : start + width] for start in range(0, len(pixels), width or 1)]
    filled = [y for y, row in enumerate(rows) if 255 in row]
    if not filled:
        return (0, 0, 0, 0)
    left = min(rows[y].index(255) for y in filled)
    right = max(rows[y].rindex(255) for y in filled)
    return (left, filled[0], right + 1 - left, filled[-1] + 1 - filled[0])


def encode_rle(pixels: bytes, width: int) -> Rle:
    """Encodes pixels, a byte each, row by row: 255 inside, 0 outside."""
    columns = b"".join(pixels[x::width] for x in range(width))
    counts: list[int] = []
    start = 0
    while start < len(columns):
        end = columns.find(b"\0" if len(counts) % 2 else b"\xff", start)
        end = len(columns) if end < 0 else end
        counts.append(end - start)
        start = end
    text = bytearray()
    for i, count in enumerate(counts):
        # From the fourth on, each length is the difference from the last one of its kind: five bits a character.
        rest = count - counts[i - 2] if i > 2 else count
        while True:
            group = rest & 31
            rest >>= 5
            is_last = rest == (-1 if group & 16 else 0)
            text.append(group + (48 if is_last else 80))
            if is_last:
                break
    return {"size": [len(pixels) // width if width else 0, width], "counts": text.decode()}


def decode_rle(rle: Rle) -> bytes:
    """The pixels of an encoded mask, a byte each, row by row. Raises ValueError if its runs do not match its size."""
    height, width = rle["size"]
    counts: list[int] = []
    value = bits = 0
    for code in rle["counts"].encode():
        group = code - 48
        value |= (group & 31) << bits
        bits += 5
        if group < 32:
            value -= (group & 16) << (bits - 4)
            counts.append(value + counts[-2] if len(counts) > 2 else value)
            value = bits = 0
    if bits or min(counts, default=0) < 0 or sum(counts) != height * width:
        raise ValueError("the mask's runs do not add up to its size")
    columns = b"".join((b"\xff" if i % 2 else b"\0") * count for i, count in enumerate(counts))
    return b"".join(columns[y::height] for y in range(height))


def to_supervision(rows: list[tuple[Box, NDArray[np.bool_], float, int, str]]) -> Any:
    """`supervision.Detections`: a row per mask with its box, pixels, confidence, class and the class's name."""
    import numpy as np

    # Its types are there only where it is.
    detections: Any = import_module("supervision").Detections
    if not rows:
        return detections.empty()
    boxes, pixels, confidences, classes, names = zip(*rows)
    return detections(
        xyxy=np.array([(x, y, x + width, y + height) for x, y, width, height in boxes], np.float32),
        mask=np.array(pixels),
        confidence=np.array(confidences, np.float32),
        class_id=np.array(classes),
        data={"class_name": np.array(names)},
    )
