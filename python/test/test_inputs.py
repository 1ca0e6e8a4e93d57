"""Inputs and the values of a request: taken, or refused by name before anything is uploaded. python3 -m unittest"""

from __future__ import annotations

import io
import math
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable

import httpx
import numpy as np
from recorder import Recorder, json_of
from segmentation_client import Client, SegmentationError

GIF = b"GIF89a picture"
FOLDER = tempfile.TemporaryDirectory()
PICTURE = Path(FOLDER.name, "a.gif")
PICTURE.write_bytes(GIF)
EMPTY = Path(FOLDER.name, "empty.gif")
EMPTY.touch()
HTTP = httpx.Client(verify=False)
JOB = json_of({"jobId": "job_1"})


def read(file: Any) -> Any:
    file.read()
    return file


def closed(file: Any) -> Any:
    file.close()
    return file


class Upload:
    """A file of Starlette and aiofiles: it is read by a coroutine."""

    async def read(self) -> bytes:
        return GIF


INPUTS: list[tuple[Callable[[], Any], str]] = [
    (lambda: b"", "is empty"),
    (lambda: bytearray(), "is empty"),
    (lambda: EMPTY, "empty.gif is empty"),
    (lambda: read(io.BytesIO(GIF)), "seek(0)"),
    (lambda: read(PICTURE.open("rb")), "a.gif is empty. If it has been read before, rewind it: file.seek(0)"),
    (lambda: closed(io.BytesIO(GIF)), "cannot be read"),
    (lambda: io.StringIO("GIF89a"), "open as text"),
    (lambda: Upload(), "await file.read()"),
    (lambda: FOLDER.name, "Is a directory"),
    (lambda: "not/there.png", "not/there.png” cannot be read: No such file"),
    (lambda: "a\0b.png", "is no path"),
    (lambda: "iVBORw0KGgo" * 40_000, "characters) cannot be read"),
    (lambda: "data:image/png;base64," + "A" * 400_000, "cannot be read"),
    (lambda: np.zeros((400, 600, 3), np.uint8), "of the type numpy.ndarray"),
    (lambda: [b"GIF89a", np.zeros((400, 600, 3))], "of the type numpy.ndarray"),
    (lambda: None, "None"),
    (lambda: 7, "7"),
    (lambda: object(), "of the type object"),
    (lambda: {"url": "https://example.com/a.png"}, "taskId"),
    (lambda: {"taskId": None}, "taskId"),
    (lambda: [], "no input"),
    (lambda: iter(()), "no input"),
]
OPTIONS: list[tuple[Any, dict[str, Any], str]] = [
    ("cup", {"threshold": math.nan}, "threshold is nan"),
    ("cup", {"threshold": np.float32(math.inf)}, "threshold is inf"),
    ("cup", {"threshold": object()}, "threshold is of the type object"),
    ("cup", {"threshold": b"0.4"}, "threshold is of the type bytes"),
    ("cup", {"treshold": 0.4}, "“treshold” is not an option"),
    ("cup", {"fps": 2}, "“fps” is not an option"),
    ("cup", {"regions": [{"box": np.array([1, 2, math.nan, 3])}]}, "regions[0].box[2] is nan"),
    ("cup", {"regions": [{"input": 1, "box": [0, 0, 1, 1]}]}, "input 1, which does not exist"),
    ("cup", {"regions": [{"input": "0", "box": [0, 0, 1, 1]}]}, "input “0”"),
    ("cup", {"regions": {"box": [0, 0, 1, 1]}}, "list of dicts"),
    ("cup", {"regions": [[0, 0, 1, 1]]}, "list of dicts"),
    ([b"cup"], {}, "prompts[0] is of the type bytes"),
    ([1, 2], {}, "prompts must be strings"),
    (7, {}, "prompts must be strings"),
    ("cup", {"timeout": 0}, "timeout is 0"),
    ("cup", {"idempotency_key": 17}, "idempotency_key must be a string"),
    ("cup", {"idempotency_key": "a" * 121}, "120 characters"),
]


class Inputs(unittest.TestCase):
    def refused(self, part: str, given: Any, prompts: Any = "cup", **options: Any) -> None:
        with Recorder() as service, self.assertRaises(SegmentationError) as failure:
            Client(service.base, "k", http=HTTP).submit(given, prompts, **options)
        self.assertEqual(failure.exception.code, "invalid_input", failure.exception.message)
        self.assertIn(part, failure.exception.message)
        self.assertLess(len(failure.exception.message), 400)
        self.assertEqual(service.asked, [])

    def test_that_are_none_are_refused_before_anything_is_sent(self) -> None:
        for given, part in INPUTS:
            with self.subTest(part):
                self.refused(part, given())

    def test_with_values_that_json_lacks_are_refused_before_anything_is_sent(self) -> None:
        for prompts, options, part in OPTIONS:
            with self.subTest(part):
                self.refused(part, GIF, prompts, **options)

    def sent(self, given: Any, prompts: Any = "cup", **options: Any) -> list[Any]:
        """The bodies that arrive."""
        place = json_of({"uploadUrl": "{base}/up", "taskId": "a.gif", "expiresIn": 300})
        with Recorder(place, (200, {}, b""), JOB) as service:
            Client(service.base, "k", http=HTTP).submit(given, prompts, **options)
        return service.bodies

    def test_of_every_kind_arrive_whole(self) -> None:
        seeked = io.BytesIO(b"--" + GIF)
        seeked.seek(2)
        kinds = [GIF, bytearray(GIF), memoryview(GIF), memoryview(GIF[::-1])[::-1], io.BytesIO(GIF), seeked]
        for given in [*kinds, PICTURE, str(PICTURE), PICTURE.open("rb"), iter([PICTURE])]:
            with self.subTest(type(given)):
                self.assertEqual(self.sent(given)[1], GIF)

    def test_numbers_of_numpy_are_numbers(self) -> None:
        body = self.sent(
            GIF,
            np.array(["cup", "spoon"]),
            threshold=np.float32(0.5),
            mask_threshold=Decimal("0.25"),
            generate_preview=np.bool_(True),
            continues=None,
            regions=[
                {"input": np.int64(0), "box": np.array([1, 2, 3, 4])},
                {"points": ({"x": np.int64(430), "y": np.float64(2.5), "label": np.uint8(1)},)},
            ],
        )[2]
        self.assertEqual(
            body,
            {
                "type": "image",
                "tasks": ["a.gif"],
                "prompts": ["cup", "spoon"],
                "threshold": 0.5,
                "maskThreshold": 0.25,
                "generatePreview": True,
                "regions": [
                    {"taskId": "a.gif", "box": [1, 2, 3, 4]},
                    {"taskId": "a.gif", "points": [{"x": 430, "y": 2.5, "label": 1}]},
                ],
            },
        )

    def test_of_an_operation_may_be_numbers_of_numpy_too(self) -> None:
        with Recorder(JOB) as service:
            Client(service.base, "k", http=HTTP).jobs.create_job({"threshold": np.float64(0.5)})  # type: ignore[typeddict-item]
        self.assertEqual(service.bodies, [{"threshold": 0.5}])

    def test_a_file_that_changes_is_named(self) -> None:
        changing = Path(FOLDER.name, "changing.gif")
        changing.write_bytes(GIF)

        def shrink(*_: Any) -> None:
            changing.write_bytes(b"GIF89a")

        place = json_of({"uploadUrl": "{base}/up", "taskId": "a.gif", "expiresIn": 300})
        hooks: Any = {"response": [shrink]}
        with Recorder(place) as service, httpx.Client(verify=False, event_hooks=hooks) as http:
            with self.assertRaisesRegex(SegmentationError, "changing.gif” has changed"):
                Client(service.base, "k", http=http).upload(changing)

    @classmethod
    def tearDownClass(cls) -> None:
        FOLDER.cleanup()


if __name__ == "__main__":
    unittest.main()
