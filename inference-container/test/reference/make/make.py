"""
Makes the reference figures: `python make.py MODEL`. Each model is built small with seeded random weights, exported to
ONNX in the layout of the public exports, and run in PyTorch on the sample photographs.
"""

import argparse
import os
from importlib.util import find_spec
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "segmentation-models"


def make(model):
    if model == "grounding-dino":
        import grounding_dino

        # BERT's word pieces, in lower case: the embedded model has the same.
        return grounding_dino.make(sorted(CACHE.glob("builtin-*/tokenizer.json"))[-1])
    if model == "rf-detr-seg":
        import rf_detr

        return rf_detr.make()
    vocabulary = Path(find_spec("open_clip").origin).with_name("bpe_simple_vocab_16e6.txt.gz")
    if model == "sam3":
        import sam3

        return sam3.make(vocabulary)
    import owl

    return owl.make(model, vocabulary)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=["grounding-dino", "sam3", "owlvit", "owlv2", "rf-detr-seg"])
    make(parser.parse_args().model)
