"""
SAM 3 for Triton's Python backend, with the tensors of models/kserve/README.md: the graphs with seeded random weights of
inference-container/test/reference, which are in the folder of the parameter `graphs`. It draws no regions.
"""

import json
import os

import numpy as np
import onnxruntime as ort
import triton_python_backend_utils as pb
from PIL import Image
from tokenizers import Tokenizer

SIDE = 1008
GRID = 288
CONTEXT = 32
END = 49407
ABSENT = -10


class TritonPythonModel:
    def initialize(self, args):
        folder = json.loads(args["model_config"])["parameters"]["graphs"]["string_value"]
        names = ("vision-encoder", "text-encoder", "geo-encoder-mask-decoder")
        self.vision, self.text, self.decoder = (
            ort.InferenceSession(os.path.join(folder, f"{name}.onnx"), providers=["CPUExecutionProvider"]) for name in names
        )
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.enable_truncation(CONTEXT)
        self.tokenizer.enable_padding(length=CONTEXT, pad_id=END)

    def execute(self, requests):
        return [pb.InferenceResponse(output_tensors=self.answer(request)) for request in requests]

    def answer(self, request):
        image, prompts, threshold = (
            pb.get_input_tensor_by_name(request, name).as_numpy() for name in ("image", "prompts", "threshold")
        )
        height, width, _ = image.shape
        features = self.see(image)
        found = [np.zeros((0, 4)), np.zeros(0), np.zeros(0), np.zeros((0, GRID, GRID))]
        for place, prompt in enumerate(prompts):
            boxes, scores, masks = self.look_for(prompt.decode(), features)
            boxes = np.clip(boxes * (width, height, width, height), 0, (width, height, width, height))
            kept = (scores >= threshold) & (boxes[:, 0] < boxes[:, 2]) & (boxes[:, 1] < boxes[:, 3])
            one = boxes[kept], scores[kept], np.full(kept.sum(), place), masks[kept]
            found = [np.concatenate(pair) for pair in zip(found, one)]
        types = {"boxes": np.float32, "scores": np.float32, "prompt_index": np.int32, "masks": np.float16}
        return [pb.Tensor(name, value.astype(kind)) for (name, kind), value in zip(types.items(), found)]

    def see(self, image):
        small = Image.fromarray(image).resize((SIDE, SIDE), Image.Resampling.BILINEAR)
        pixels = np.asarray(small, np.float32).transpose(2, 0, 1)[None] / 127.5 - 1
        return run(self.vision, {"images": pixels})

    def look_for(self, prompt, features):
        """Boxes in parts of the picture, scores and masks of all queries."""
        tokens = self.tokenizer.encode(prompt)
        ids, mask = (np.array([row], np.int64) for row in (tokens.ids, tokens.attention_mask))
        words = run(self.text, {"input_ids": ids, "attention_mask": mask})
        nowhere = {"input_boxes": np.zeros((1, 1, 4), np.float32), "input_boxes_labels": np.full((1, 1), ABSENT, np.int64)}
        given = {**features, **words, **nowhere}
        found = run(self.decoder, {one.name: given[one.name] for one in self.decoder.get_inputs()})
        scores = sigmoid(found["pred_logits"][0]) * sigmoid(found["presence_logits"][0, 0])
        return found["pred_boxes"][0], scores, found["pred_masks"][0]


def run(session, inputs):
    return dict(zip((one.name for one in session.get_outputs()), session.run(None, inputs)))


def sigmoid(logits):
    return 1 / (1 + np.exp(-logits))
