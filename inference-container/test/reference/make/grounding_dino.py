"""Grounding DINO: one graph, as in onnx-community/grounding-dino-tiny-ONNX, for pictures of 800 × 800."""

import warnings
from unittest import mock

import torch
from torchvision.ops import clip_boxes_to_image, nms
from transformers import (
    BertConfig,
    BertTokenizer,
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    GroundingDinoImageProcessor,
    GroundingDinoProcessor,
    SwinConfig,
)

from common import FIXTURES, PROMPTS, grid, pictures, rounded, seeded, spread, write

SEED = 20
SIDE = 800
THRESHOLD = 0.3
NMS_IOU = 0.7
# The logits of most queries are to stay below the threshold.
OFFSET = 8.8


def build():
    backbone = SwinConfig(
        embed_dim=8,
        depths=[1, 1, 1, 1],
        num_heads=[1, 1, 2, 2],
        window_size=7,
        drop_path_rate=0.0,
        out_features=["stage2", "stage3", "stage4"],
    )
    text = BertConfig(
        hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, attn_implementation="eager"
    )
    config = GroundingDinoConfig(
        backbone_config=backbone,
        text_config=text,
        d_model=32,
        encoder_layers=1,
        encoder_ffn_dim=32,
        encoder_attention_heads=4,
        decoder_layers=2,
        decoder_ffn_dim=32,
        decoder_attention_heads=4,
    )
    model = GroundingDinoForObjectDetection(config)
    spread(model, 1.0, but=["relative_position", "sampling_offsets"])
    with torch.no_grad():
        # Boxes of some size, of which no two are alike.
        model.model.encoder_output_bbox_embed.layers[-1].weight.mul_(0.5)
        model.bbox_embed[0].layers[-1].bias[2:] = 0.8
        model.model.decoder.bbox_embed[0].layers[-1].bias[2:] = 0.8
        # The queries begin alike: which of two equally good places of the picture comes first must not matter.
        model.model.query_position_embeddings.weight.zero_()
        # The first channel of words is 1, and that of queries lowers every logit by the offset.
        for norm in model.model.encoder.layers[-1].text_enhancer_layer.layer_norm_after, model.model.decoder.layer_norm:
            norm.weight[0] = 0
        model.model.encoder.layers[-1].text_enhancer_layer.layer_norm_after.bias[0] = 1
        model.model.decoder.layer_norm.bias[0] = -OFFSET
    return model


class Detector(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pixel_values, input_ids, token_type_ids, attention_mask, pixel_mask):
        found = self.model(
            pixel_values=pixel_values,
            input_ids=input_ids,
            token_type_ids=token_type_ids,
            attention_mask=attention_mask,
            pixel_mask=pixel_mask,
        )
        return found.logits, found.pred_boxes


def is_in(elements, among):
    """torch.isin, which has no counterpart in ONNX."""
    return (elements[..., None] == among).any(-1)


def cumulative_max(values, dim):
    """torch.cummax along the last of two dimensions, which has no counterpart in ONNX."""
    order = torch.arange(values.shape[dim])
    return torch.where(order[:, None] >= order, values[:, None], -1000).amax(-1), None


def cumulative_min(values, dim):
    return -cumulative_max(-values, dim)[0], None


def identity(size, device=None, dtype=torch.bool):
    """torch.eye, whose counterpart ONNX Runtime lacks for booleans."""
    return (torch.arange(size)[:, None] == torch.arange(size)).to(dtype)


INPUTS = ["pixel_values", "input_ids", "token_type_ids", "attention_mask", "pixel_mask"]


def export(model, inputs):
    words, batch = {0: "batch_size", 1: "sequence_length"}, {0: "batch_size"}
    axes = {"pixel_values": batch, "pixel_mask": batch, **{name: words for name in INPUTS[1:4]}}
    axes |= {"logits": {**batch, 1: "num_queries"}, "pred_boxes": {**batch, 1: "num_queries"}}
    path = FIXTURES / "grounding-dino" / "model.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    replaced = mock.patch.multiple(torch, isin=is_in, cummax=cumulative_max, cummin=cumulative_min, eye=identity)
    with warnings.catch_warnings(), replaced:
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Detector(model).eval(),
            tuple(inputs[name] for name in INPUTS),
            str(path),
            input_names=INPUTS,
            output_names=["logits", "pred_boxes"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )


def make(tokenizer_file):
    """@param tokenizer_file BERT's tokenizer.json, lower-cased: the embedded model's folder has it"""
    model = seeded(build, SEED)
    tokenizer = BertTokenizer(tokenizer_file=str(tokenizer_file), do_lower_case=True)
    images = GroundingDinoImageProcessor(size={"height": SIDE, "width": SIDE})
    processor = GroundingDinoProcessor(images, tokenizer)
    figures = []
    with torch.no_grad():
        for named, picture, prompts in pictures():
            found = []
            for prompt in prompts:
                inputs = processor(images=picture, text=[prompt], return_tensors="pt")
                inputs["pixel_mask"] = inputs["pixel_mask"].long()
                if not figures and not found:
                    export(model, inputs)
                outputs = model(**inputs)
                result = processor.post_process_grounded_object_detection(
                    outputs, inputs["input_ids"], threshold=THRESHOLD, target_sizes=[picture.size[::-1]]
                )[0]
                order = result["scores"].argsort(descending=True)
                boxes, scores = result["boxes"][order], result["scores"][order]
                found.append(
                    {
                        "prompt": prompt,
                        "boxes": rounded(boxes, 3),
                        "scores": rounded(scores, 6),
                        "kept": nms(clip_boxes_to_image(boxes, picture.size[::-1]), scores, NMS_IOU).tolist(),
                    }
                )
                top = outputs.logits.amax(-1).sigmoid().flatten().sort(descending=True).values
                print(named["file"], prompt[:30], len(boxes), found[-1]["kept"], rounded(top[: len(boxes) + 2], 3))
            figures.append({**named, "pixels": grid(inputs["pixel_values"][0]), "found": found})
    tokens = [
        {"prompt": prompt, "ids": processor(text=[prompt], return_tensors="pt")["input_ids"][0].tolist()}
        for prompt in PROMPTS
    ]
    limits = {"threshold": THRESHOLD, "nmsIou": NMS_IOU}
    write("grounding-dino", SEED, {**limits, "tokens": tokens, "pictures": figures})
