"""Every part of the project detects the same kinds of files. python3 -m unittest"""

import json
import unittest
from pathlib import Path

from segmentation_client._inputs.file_kinds import HEAD_BYTES, content_type_of_head

CASES = json.loads((Path(__file__).parents[2] / "test/support/file-kinds.json").read_text())


class FileKinds(unittest.TestCase):
    def test_are_known_by_their_first_bytes(self) -> None:
        for case in CASES:
            head = case["head"].encode("latin-1")
            for whole in (head, head.ljust(HEAD_BYTES, b"x"), head.ljust(HEAD_BYTES, b"\0")):
                self.assertEqual(content_type_of_head(whole), case["contentType"], case)


if __name__ == "__main__":
    unittest.main()
