"""Formats of masks. python3 -m unittest; without numpy, the tests that need it are skipped."""

import random
import unittest
import zlib

from segmentation_client import decode_rle, encode_rle, read_mask_png
from segmentation_client.masks import Mask

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]


def chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def png(pixels: list[list[bool]], filters: list[int], text: bytes = b"prompt\0\0\0\0\0caf\xc3\xa9") -> bytes:
    """A mask whose rows are written with these filters (section 9 of the PNG standard)."""
    width = len(pixels[0])
    above = bytes((width + 7) // 8)
    filtered = b""
    for kind, row in zip(filters, pixels):
        bits = "".join("1" if pixel else "0" for pixel in row).ljust(len(above) * 8, "0")
        packed = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
        filtered += bytes([kind])
        for i, byte in enumerate(packed):
            a, b, c = (packed[i - 1] if i else 0), above[i], (above[i - 1] if i else 0)
            nearest = sorted((abs(a + b - c - each), order, each) for order, each in enumerate((a, b, c)))[0][2]
            filtered += bytes([(byte - (0, a, b, (a + b) // 2, nearest, 0)[kind]) & 255])
        above = packed
    head = width.to_bytes(4, "big") + len(pixels).to_bytes(4, "big") + b"\1\0\0\0\0"
    chunks = chunk(b"IHDR", head) + chunk(b"iTXt", text) + chunk(b"IDAT", zlib.compress(filtered)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def drawn(chance: random.Random) -> list[list[bool]]:
    width, height, share = chance.randint(1, 40), chance.randint(1, 20), chance.random()
    return [[chance.random() < share for _ in range(width)] for _ in range(height)]


class Masks(unittest.TestCase):
    def test_are_read_with_every_filter_and_keep_their_pixels_as_run_lengths(self) -> None:
        chance = random.Random(7)
        for _ in range(200):
            pixels = drawn(chance)
            file = png(pixels, [chance.randint(0, 4) for _ in pixels])
            width, height, texts, read = read_mask_png(file)
            self.assertEqual((width, height, texts), (len(pixels[0]), len(pixels), {"prompt": "café"}))
            self.assertEqual(read, bytes(255 if each else 0 for row in pixels for each in row))
            self.assertEqual(decode_rle(encode_rle(read, width)), read)
            mask = Mask(0, 0.5, file)
            inside = [(x, y) for y, row in enumerate(pixels) for x, each in enumerate(row) if each]
            self.assertEqual(mask.area, len(inside))
            if inside:
                (left, right), (top, bottom) = ((min(each), max(each)) for each in zip(*inside))
                self.assertEqual(mask.box, (left, top, right + 1 - left, bottom + 1 - top))

    def test_are_arrays_of_numpy(self) -> None:
        if numpy is None:
            self.skipTest("numpy is not here")
        pixels = drawn(random.Random(3))
        array = Mask(0, 0.5, png(pixels, [0] * len(pixels))).array()
        self.assertEqual(array.dtype, bool)
        self.assertEqual(array.tolist(), pixels)

    def test_that_are_damaged_are_refused(self) -> None:
        file = png([[True, False]], [0])
        for wrong in (b"GIF89a", file[:-9], file.replace(b"prompt", b"promqt"), png([[True]], [5])):
            with self.assertRaises(ValueError):
                read_mask_png(wrong)

    def test_whose_run_lengths_do_not_match_are_refused(self) -> None:
        for counts in ("024", "P", "0000000"):
            with self.assertRaises(ValueError):
                decode_rle({"size": [3, 3], "counts": counts})


if __name__ == "__main__":
    unittest.main()
