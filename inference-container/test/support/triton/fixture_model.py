"""
A model for Triton's Python backend with the tensors of models/kserve/README.md, whose answers are known: it finds rectangles of the
color that a prompt names, as the fake server's model does.

Parameters of its config.pbtxt: `control`, a folder. The model
appends to `control/seen.jsonl` when it begins and ends a request, and a request waits while the folder
`control/held` has a file of its first prompt's name.
"""

import json
import os
import time

import numpy as np
import triton_python_backend_utils as pb

GRID = 288
COLOURS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "white": (1, 1, 1)}
CENTRES = (np.arange(GRID) + 0.5) / GRID


class TritonPythonModel:
    def initialize(self, args):
        parameters = json.loads(args["model_config"])["parameters"]
        self.control = parameters["control"]["string_value"]

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        inputs = {one.name(): one.as_numpy() for one in request.inputs()}
        prompts = [prompt.decode() for prompt in inputs["prompts"]]
        clicks = inputs.get("clicks", np.zeros((0, 4)))
        self.note(request, "began", prompts=prompts, hash=inputs["content_hash"][0].decode(), clicks=clicks.tolist())
        while prompts and os.path.exists(os.path.join(self.control, "held", prompts[0])):
            time.sleep(0.01)
        response = pb.InferenceResponse(output_tensors=find(inputs["image"], prompts, inputs["threshold"][0], clicks))
        self.note(request, "ended", cancelled=request.is_cancelled())
        return response

    def note(self, request, what, **more):
        line = json.dumps({"what": what, "id": request.request_id(), "pid": os.getpid(), **more}) + "\n"
        file = os.open(os.path.join(self.control, "seen.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line.encode())
        os.close(file)


def find(image, prompts, threshold, clicks):
    """The four outputs: rectangles of each prompt's color, the first with a score of 0.9, and each region's box."""
    height, width, _ = image.shape
    found = [
        (place, score, box)
        for place, prompt in enumerate(prompts)
        for score, box in scored(image, prompt)
        if np.float32(score) >= threshold
    ]
    for region in np.unique(clicks[:, 0]).astype(int):
        first, *more = clicks[clicks[:, 0] == region, 1:]
        x, y, label = first
        box = (x, y, *more[0][:2]) if label == 2 else (x - 4, y - 4, x + 4, y + 4)
        found.append((len(prompts) + region, 0.8, box))
    masks = np.array([mask(box, width, height) for *_, box in found], np.float16)
    return [
        pb.Tensor("boxes", np.array([box for *_, box in found], np.float32).reshape(-1, 4)),
        pb.Tensor("scores", np.array([score for _, score, _ in found], np.float32)),
        pb.Tensor("prompt_index", np.array([place for place, *_ in found], np.int32)),
        pb.Tensor("masks", masks.reshape(-1, GRID, GRID)),
    ]


def scored(image, prompt):
    # A clip's square is white.
    colour = COLOURS.get("white" if prompt == "square" else prompt)
    if colour is None:
        return []
    return [(0.9 - 0.2 * i, box) for i, box in enumerate(rectangles(((image > 127) == np.array(colour, bool)).all(2)))]


def rectangles(pixels):
    """The rectangles of pixels that are set, from the top: the first pixel that is in none yet begins one."""
    found = []
    while pixels.any():
        y, x = np.unravel_index(pixels.argmax(), pixels.shape)
        right = x + run(pixels[y, x:])
        below = y + run(pixels[y:, x])
        pixels[y:below, x:right] = False
        found.append((x, y, right, below))
    return found


def run(pixels):
    """Counts the set pixels before the first unset one."""
    return len(pixels) if pixels.all() else int(pixels.argmin())


def mask(box, width, height):
    """Logits that cross zero at the box's sides."""
    x1, y1, x2, y2 = box
    x, y = CENTRES * width, CENTRES[:, None] * height
    inside = np.minimum(np.minimum(x - x1, x2 - x) / width, np.minimum(y - y1, y2 - y) / height)
    return 4 * GRID * inside
