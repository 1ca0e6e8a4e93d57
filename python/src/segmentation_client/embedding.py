"""A picture's embedding: the features from which the model's decoder draws masks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAGIC = b"SEGEMBED"
_FORMAT = 1


class Embedding:
    """The features of a picture, as the service writes them in a job with `formats=["embedding"]`."""

    data: bytes
    """The file as the service wrote it."""
    model_id: str
    """The model that has made it."""
    model_version: str
    width: int
    """Of the picture as a viewer shows it, in pixels."""
    height: int

    def __init__(self, data: bytes) -> None:
        """Raises ValueError if the file is not an embedding, or cut short."""
        if data[:8] != _MAGIC:
            raise ValueError("the file is not an embedding")
        self._start = 12 + int.from_bytes(data[8:12], "little")
        try:
            head: dict[str, Any] = json.loads(data[12 : self._start])
        except ValueError as error:
            raise ValueError("the embedding's header is damaged") from error
        if head.get("format") != _FORMAT:
            raise ValueError(f"the embedding is not of format {_FORMAT}: update the client")
        self.data = data
        self.model_id, self.model_version = head["model"]["id"], head["model"]["version"]
        self.width, self.height = head["width"], head["height"]
        self._tensors: list[dict[str, Any]] = head["tensors"]
        if any(self._ends(tensor) > len(data) for tensor in self._tensors):
            raise ValueError("the embedding is cut short")

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """The features as arrays of numpy, by the names of the decoder's inputs."""
        import numpy as np

        arrays: dict[str, NDArray[np.float32]] = {}
        for tensor in self._tensors:
            outer, run, inner = tensor["blocks"]
            at, count = self._start + tensor["offset"], outer * inner
            floats = np.frombuffer(self.data, "<f4", 2 * count, at).reshape([2, outer, 1, inner])
            stored = np.frombuffer(self.data, np.uint8, count * run, at + 8 * count).reshape([outer, run, inner])
            values = (floats[0] + floats[1] * stored).astype(np.float32)
            arrays[tensor["name"]] = values.reshape(tensor["dims"])
        return arrays

    def _ends(self, tensor: dict[str, Any]) -> int:
        outer, run, inner = tensor["blocks"]
        begin: int = self._start + tensor["offset"]
        return begin + outer * inner * (8 + run)

    def __repr__(self) -> str:
        return f"<Embedding by {self.model_id} {self.model_version}, {self.width} × {self.height}>"
