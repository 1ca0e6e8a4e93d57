"""The file of a picture's embedding. python3 -m unittest; without numpy, the test that needs it is skipped."""

import json
import unittest
from pathlib import Path

from segmentation_client import Embedding

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

KNOWN = json.loads((Path(__file__).parents[2] / "test/support/embedding.json").read_text())
FILE = bytes.fromhex(KNOWN["hex"])


class AnEmbedding(unittest.TestCase):
    def test_names_its_model_and_the_size_of_the_picture(self) -> None:
        embedding = Embedding(FILE)
        self.assertEqual((embedding.model_id, embedding.model_version), ("builtin", "1.3.0"))
        self.assertEqual((embedding.width, embedding.height), (640, 480))
        self.assertEqual(repr(embedding), "<Embedding by builtin 1.3.0, 640 × 480>")

    @unittest.skipIf(numpy is None, "needs numpy")
    def test_has_the_features_as_arrays_under_the_names_of_the_decoders_inputs(self) -> None:
        arrays = Embedding(FILE).arrays()
        self.assertEqual(list(arrays), [tensor["name"] for tensor in KNOWN["tensors"]])
        for tensor in KNOWN["tensors"]:
            array = arrays[tensor["name"]]
            self.assertEqual((array.dtype, list(array.shape)), (numpy.float32, tensor["dims"]))
            self.assertEqual(array.ravel().tolist(), tensor["values"])

    def test_that_is_none_is_refused(self) -> None:
        head = FILE.replace(b'"format":1', b'"format":2')
        for file, reason in ((b"", "not an embedding"), (FILE[:-8], "cut short"), (FILE[:40], "damaged"), (head, "format 1")):
            with self.assertRaisesRegex(ValueError, reason):
                Embedding(file)


if __name__ == "__main__":
    unittest.main()
