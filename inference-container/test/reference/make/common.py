"""Shares pictures, prompts, seeded weights and result files among the reference figures of all models."""

import base64
import json
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from PIL import Image

PROJECT = Path(__file__).resolve().parents[4]
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"

# Each picture with the two prompts that are looked for in it. A picture that is repeated across and down is larger than
# the models' inputs: the others are enlarged, it is shrunk.
CASES = [
    ("samples/chelsea.png", (1, 1), ["cat", "the cat's left ear"]),
    ("samples/coffee.png", (3, 3), ["coffee cup", "Café spoon"]),
    ("samples/astronaut.png", (1, 1), ["a person wearing an orange suit", "NASA's FLAG 2"]),
    ("samples/labelled/pictures/000000175364.jpg", (1, 1), ["kitchen OVEN", "生活"]),
    (
        "samples/labelled/pictures/000000377575.jpg",
        (1, 1),
        [
            "dog",
            "a small brown dog with a blue collar that stands on the pavement in front of the yellow fire hydrant and "
            "looks at the person who takes the photograph from the other side of the street in the afternoon",
        ],
    ),
]
PROMPTS = [prompt for _, _, prompts in CASES for prompt in prompts]


def pictures():
    """Every case as (figures that name the picture, the picture, its prompts)."""
    for file, (across, down), prompts in CASES:
        one = Image.open(PROJECT / file).convert("RGB")
        whole = Image.new("RGB", (one.width * across, one.height * down))
        for column in range(across):
            for row in range(down):
                whole.paste(one, (column * one.width, row * one.height))
        yield {"file": file, "tiles": [across, down], "width": whole.width, "height": whole.height}, whole, prompts


def seeded(build, seed):
    """The model that `build` makes with this seed, ready to run."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    return build().eval()


def spread(model, scale, but=()):
    """Redraws all matrices with a standard deviation of scale / √inputs: the library's own start is nearly constant."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 and not any(part in name for part in but):
                weight.normal_(0, scale / np.sqrt(weight[0].numel()))


def threshold_between(scores):
    """A threshold in the widest gap between the fifth and the tenth of the best scores, so that few objects pass it."""
    best = scores.flatten().sort(descending=True).values
    place = int((best[4:9] - best[5:10]).argmax()) + 4
    return round(float(best[place] + best[place + 1]) / 2, 5)


def grid(tensor, step=29):
    """Every 29th pixel of an input [3, height, width] across and down, as base64 of float32, little-endian."""
    values = tensor[:, ::step, ::step].contiguous().numpy().astype("<f4")
    return {"step": step, "shape": list(values.shape), "values": base64.b64encode(values.tobytes()).decode()}


def rle(mask):
    """A mask's run lengths, row by row, beginning with those that are not set."""
    flat = np.concatenate([[0], np.asarray(mask, dtype=np.int8).ravel(), [0]])
    turns = np.flatnonzero(np.diff(flat))
    return np.diff(np.concatenate([[0], turns, [np.asarray(mask).size]])).tolist()


def rounded(values, digits):
    return np.round(np.asarray(values, dtype=np.float64), digits).tolist()


def write(name, seed, figures, more=()):
    packages = ["torch", "torchvision", "transformers", "tokenizers", "onnx", "pillow", "numpy", *more]
    made = {
        "command": f"python make.py {name}",
        "seed": seed,
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }
    folder = FIXTURES / name
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"made": made, **figures}, ensure_ascii=False, separators=(",", ":"))
    (folder / "figures.json").write_text(text + "\n")
    for file in sorted(folder.iterdir()):
        print(f"{file.name:32} {file.stat().st_size:>9,} bytes")
