"""Results as people left them are fetched on request alone. python3 -m unittest"""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from recorder import Recorder, json_of
from segmentation_client import Client, ImageResult, SegmentationError

JOB: Any = {"jobId": "job_1", "type": "image", "status": "success", "error": None, "tasks": []}
DOCUMENT: Any = {"format": 1, "classes": [{"id": 7, "name": "mug"}], "nextClassId": 8, "searches": [], "tasks": []}


class Annotations(unittest.TestCase):
    def test_are_missing_from_a_result_that_was_fetched_without_them(self) -> None:
        with self.assertRaises(SegmentationError) as failure:
            ImageResult(JOB, [], {}).to_coco(annotated=True)
        self.assertEqual(failure.exception.code, "invalid_input")
        self.assertIn("annotated=True", failure.exception.message)

    def test_are_refused_for_a_clip(self) -> None:
        end = f"event: end\nid: 1\ndata: {json.dumps({**JOB, 'type': 'video'})}\n\n".encode()
        manifest = {"jobId": "job_1", "type": "video", "prompts": [], "items": []}
        result = json_of({"manifest": manifest, "assets": [], "expiresIn": 900})
        with Recorder((200, {"content-type": "text/event-stream"}, end), result) as service:
            with Client(service.base, "key") as client, self.assertRaises(SegmentationError) as failure:
                client.result("job_1", annotated=True)
        self.assertEqual(failure.exception.code, "invalid_input")
        self.assertIn("video", failure.exception.message)

    def test_are_saved_in_coco_on_request(self) -> None:
        result = ImageResult(JOB, [], {}, {"version": 1, "updatedAt": None, "document": DOCUMENT})
        with tempfile.TemporaryDirectory() as folder:
            result.save(folder, annotated=True)
            saved = json.loads(Path(folder, "annotations.json").read_text())
        self.assertEqual(saved, {"images": [], "categories": [{"id": 7, "name": "mug"}], "annotations": []})


if __name__ == "__main__":
    unittest.main()
