"""RF-DETR Seg: one graph, as the package's own export writes it, for pictures of 312 × 312 like the size nano."""

import copy
import warnings
from unittest.mock import patch

import torch
import torchvision.transforms.functional as F
from rfdetr.config import RFDETRSegNanoConfig
from rfdetr.export._onnx.exporter import OnnxConfig, OnnxExporter
from rfdetr.export.prepare import prepare_export_graph
from rfdetr.inference import _build_model_context
from rfdetr.models.backbone import dinov2

from common import FIXTURES, grid, pictures, rle, rounded, seeded, spread, threshold_between, write

SEED = 3
WIDTH = 32
# Masks of random weights are all edge: their run lengths are long.
MASKS = 1
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def small_config(size, use_registers):
    return {
        "hidden_size": WIDTH,
        "image_size": 518,
        "num_attention_heads": 2,
        "num_hidden_layers": 2,
        "patch_size": 14,
        "mlp_ratio": 2,
    }


def context(config, small):
    if not small:
        return _build_model_context(config)
    with patch.object(dinov2, "get_config", small_config), patch.dict(dinov2.size_to_width, {"small": WIDTH}):
        return _build_model_context(config)


def config_of(small):
    sizes = {"out_feature_indexes": [1, 2], "dec_layers": 1, "hidden_dim": WIDTH, "sa_nheads": 2, "ca_nheads": 2}
    return RFDETRSegNanoConfig(pretrain_weights=None, device="cpu", **(sizes if small else {}))


def build(small=True):
    built = context(config_of(small), small)
    if small:
        spread(built.model, 1.0)
        with torch.no_grad():
            # Scores far apart, most of them low, and boxes of all places.
            built.model.class_embed.weight.mul_(2)
            built.model.class_embed.bias.fill_(-4)
            built.model.refpoint_embed.weight.normal_(0, 1)
    built.model.eval()
    return built


def export(built, folder, name):
    config = config_of(name != "real")
    model = copy.deepcopy(built.model).eval()
    model.export()
    side = built.resolution
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = prepare_export_graph(model, config, shape=(side, side), device="cpu")
        folder.mkdir(parents=True, exist_ok=True)
        OnnxExporter(OnnxConfig(output_dir=folder, output_name="model", verbose=False, opset_version=17))(graph)


def make():
    built = seeded(lambda: _Evaluated(build()), SEED).built
    model, side = built.model, built.resolution
    export(built, FIXTURES / "rf-detr-seg", "model")
    figures = []
    with torch.no_grad():
        for named, picture, _ in pictures():
            pixels = F.normalize(F.resize(F.to_tensor(picture), [side, side], antialias=False), MEAN, STD)
            outputs = model(pixels[None])
            size = picture.size[::-1]
            threshold = threshold_between(outputs["pred_logits"].sigmoid())
            result = built.postprocess(outputs, torch.tensor([size]), score_threshold=threshold)[0]
            print(named["file"], threshold, rounded(result["scores"], 3), result["labels"].tolist())
            figures.append(
                {
                    **named,
                    "pixels": grid(pixels),
                    "found": [
                        {
                            "prompt": "",
                            "threshold": threshold,
                            "boxes": rounded(result["boxes"], 3),
                            "scores": rounded(result["scores"], 6),
                            "categories": result["labels"].tolist(),
                            "masks": [rle(mask[0]) for mask in result["masks"][:MASKS]],
                        }
                    ],
                }
            )
    write("rf-detr-seg", SEED, {"tokens": [], "pictures": figures}, ["rfdetr"])


class _Evaluated:
    """The interface that `seeded` takes: something with `eval`."""

    def __init__(self, built):
        self.built = built

    def eval(self):
        return self
