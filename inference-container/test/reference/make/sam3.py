"""
SAM 3: the graphs of models/sam3/export.py, for pictures of 1008 × 1008.
"""

import base64
import sys

import numpy as np
import torch
from torchvision.ops import box_convert
from transformers import (
    CLIPTextConfig,
    Sam3Config,
    Sam3ImageProcessor,
    Sam3Model,
    Sam3Processor,
    Sam3TrackerConfig,
    Sam3TrackerModel,
    Sam3TrackerProcessor,
)

from clip import clip_tokenizer, write_reduced
from common import FIXTURES, PROJECT, PROMPTS, grid, pictures, rle, rounded, seeded, spread, threshold_between, write

sys.path.insert(0, str(PROJECT / "inference-container" / "models" / "sam3"))
from export import export

SEED = 4
TRACKER_SEED = 5
# Masks of random weights are all edge: their run lengths are long.
MASKS = 1
CONTEXT = 32
WIDTH = 32
# The logits of most queries are to stay below the threshold, and that of presence above 0.
OFFSET = 0.5
PRESENCE = 2.0
SCALE = 3.0


VISION = {
    "backbone_config": {
        "model_type": "sam3_vit_model",
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "global_attn_indexes": [1],
    },
    "fpn_hidden_size": WIDTH,
}


def build():
    part = {"hidden_size": WIDTH, "num_attention_heads": 2, "intermediate_size": 32, "dropout": 0.0}
    text = CLIPTextConfig(
        vocab_size=49408,
        hidden_size=8,
        intermediate_size=16,
        projection_dim=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=49406,
        eos_token_id=49407,
        pad_token_id=49407,
    )
    config = Sam3Config(
        vision_config=VISION,
        text_config=text,
        geometry_encoder_config={**part, "num_layers": 1},
        detr_encoder_config={**part, "num_layers": 1},
        detr_decoder_config={**part, "num_layers": 1},
        mask_decoder_config={"hidden_size": WIDTH, "num_attention_heads": 2},
        attn_implementation="eager",
    )
    model = Sam3Model(config)
    spread(model, 1.0)
    with torch.no_grad():
        scoring, decoder = model.dot_product_scoring, model.detr_decoder
        scoring.query_proj.weight.mul_(SCALE)
        # The first channel of words is 1, and that of queries lowers every logit by the offset.
        scoring.text_proj.weight[0] = 0
        scoring.text_proj.bias[0] = 1
        scoring.query_proj.weight[0] = 0
        scoring.query_proj.bias[0] = -OFFSET / scoring.scale
        decoder.presence_head.layer3.bias.fill_(PRESENCE)
        decoder.reference_points.weight.mul_(1.5)
        decoder.query_embed.weight.normal_(0, 1)
    return model


def build_tracker(model):
    """The tracker, with the backbone of the model and a neck of its own."""
    config = Sam3TrackerConfig(
        vision_config={"model_type": "sam3_vision_model", **VISION},
        prompt_encoder_config={"hidden_size": WIDTH, "mask_input_channels": 8},
        mask_decoder_config={"hidden_size": WIDTH, "mlp_dim": 64, "num_attention_heads": 2, "iou_head_hidden_dim": 32},
        attn_implementation="eager",
    )
    tracker = Sam3TrackerModel(config)
    spread(tracker, 1.0)
    with torch.no_grad():
        tracker.no_memory_embedding.normal_(0, 1)
        # As in the checkpoint, one encoding of places serves the picture and the clicks.
        tracker.shared_image_embedding.positional_embedding = tracker.prompt_encoder.shared_embedding.positional_embedding
    tracker.vision_encoder.backbone = model.vision_encoder.backbone
    return tracker


def scores_of(outputs):
    return outputs.pred_logits.sigmoid() * outputs.presence_logits.sigmoid()


def on_logits(outputs, size, threshold):
    """Masks as usls draws them: the logits are enlarged, not their sigmoids."""
    masks = outputs.pred_masks[scores_of(outputs) > threshold][None]
    return torch.nn.functional.interpolate(masks, size=size, mode="bilinear", align_corners=False)[0] > 0


# The examples of a thing in a picture: centers and sizes, as shares of it.
EXAMPLES = [[(0.35, 0.55, 0.5, 0.7)], [(0.35, 0.55, 0.5, 0.7), (0.7, 0.3, 0.4, 0.4)]]


def alike(model, processor, image, words, picture, shares):
    """Returns the detections of the model for examples given by boxes, with its processor's text for them."""
    boxes = torch.tensor([shares])
    labels = torch.ones(1, len(shares), dtype=torch.long)
    outputs = model(vision_embeds=image, **words, input_boxes=boxes, input_boxes_labels=labels)
    size = picture.size[::-1]
    threshold = threshold_between(scores_of(outputs))
    result = processor.post_process_instance_segmentation(outputs, threshold=threshold, target_sizes=[size])[0]
    order = result["scores"].argsort(descending=True).tolist()
    print("  examples", rounded(result["scores"][order], 3))
    scale = torch.tensor([picture.width, picture.height, picture.width, picture.height])
    return {
        "prompt": "",
        "examples": rounded(box_convert(boxes[0], "cxcywh", "xyxy") * scale, 3),
        "threshold": threshold,
        "boxes": rounded(result["boxes"][order], 3),
        "scores": rounded(result["scores"][order], 6),
        # They are made as those of words.
        "masks": [],
    }


# Regions as shares of the picture: a box or none, points with their labels, and whether a mask is corrected.
MARKED = [
    {"box": (0.2, 0.15, 0.7, 0.8)},
    {"points": [(0.45, 0.5, 1)]},
    {"points": [(0.4, 0.45, 1), (0.75, 0.2, 0)]},
    {"box": (0.5, 0.4, 0.95, 0.9), "points": [(0.7, 0.6, 1), (0.6, 0.5, 0)]},
    {"box": (0.1, 0.3, 0.5, 0.7), "corrects": True},
    {"points": [(0.3, 0.6, 1)], "corrects": True},
]
PRIOR_SIDE = 288
# Every 24th logit of a mask across and down.
STEP = 24


def prior():
    """The logits of the mask that is corrected; the test computes the same."""
    rows, columns = np.mgrid[0:PRIOR_SIDE, 0:PRIOR_SIDE]
    return torch.from_numpy((8 * np.sin(columns / 40) + 6 * np.cos(rows / 30)).astype("float32"))[None, None]


def marked(tracker, processor, picture, embeddings):
    """What the tracker draws for each region: three masks with the estimates of their quality."""
    drawn = []
    for region in MARKED:
        box = region.get("box")
        at = [round(share * side, 2) for share, side in zip(box or (), [*picture.size, *picture.size])]
        points = [[round(x * picture.width, 2), round(y * picture.height, 2)] for x, y, _ in region.get("points", [])]
        labels = [label for *_, label in region.get("points", [])]
        inputs = processor(
            original_sizes=[list(picture.size[::-1])],
            return_tensors="pt",
            **({"input_boxes": [[at]]} if box else {}),
            **({"input_points": [[points]], "input_labels": [[labels]]} if points else {}),
        )
        prompt = {name: value for name, value in inputs.items() if name.startswith("input_")}
        if region.get("corrects"):
            prompt["input_masks"] = prior()
        found = tracker(image_embeddings=embeddings, **prompt)
        logits = found.pred_masks[0, 0, :, ::STEP, ::STEP].contiguous().numpy().astype("<f4")
        print("  region", rounded(found.iou_scores[0, 0], 3), float((found.pred_masks > 0).float().mean()))
        drawn.append(
            {
                **({"box": at} if box else {}),
                **({"points": [[*place, label] for place, label in zip(points, labels)]} if points else {}),
                "corrects": region.get("corrects", False),
                "quality": rounded(found.iou_scores[0, 0], 6),
                "logits": base64.b64encode(logits.tobytes()).decode(),
            }
        )
    return drawn


def make(vocabulary):
    """@param vocabulary CLIP's bpe_simple_vocab_16e6.txt.gz"""
    model = seeded(build, SEED)
    tracker = seeded(lambda: build_tracker(model), TRACKER_SEED)
    tracker_processor = Sam3TrackerProcessor(Sam3ImageProcessor())
    tokenizer = clip_tokenizer(vocabulary)
    processor = Sam3Processor(Sam3ImageProcessor(), tokenizer)
    # The library's processor does not cut a text that is too long for the model.
    encode = lambda text: tokenizer(
        [text], padding="max_length", max_length=CONTEXT, truncation=True, return_tensors="pt"
    )
    write_reduced(tokenizer, [*PROMPTS, "a", "visual"], FIXTURES / "sam3" / "tokenizer.json")
    figures = []
    with torch.no_grad():
        for named, picture, prompts in pictures():
            pixels = processor(images=picture, return_tensors="pt")["pixel_values"]
            image = None
            found = []
            for prompt in prompts:
                words = encode(prompt)
                if image is None:
                    image = model.get_vision_features(pixel_values=pixels)
                outputs = model(vision_embeds=image, **words)
                size = picture.size[::-1]
                threshold = threshold_between(scores_of(outputs))
                result = processor.post_process_instance_segmentation(
                    outputs, threshold=threshold, target_sizes=[size]
                )[0]
                linear = on_logits(outputs, size, threshold)
                order = result["scores"].argsort(descending=True).tolist()
                agree = [
                    float((theirs.bool() & ours).sum() / (theirs.bool() | ours).sum())
                    for theirs, ours in zip(result["masks"], linear)
                ]
                print(prompt[:30], rounded(result["scores"][order], 3), "IoU with enlarged sigmoids:", rounded(agree, 4))
                found.append(
                    {
                        "prompt": prompt,
                        "threshold": threshold,
                        "boxes": rounded(result["boxes"][order], 3),
                        "scores": rounded(result["scores"][order], 6),
                        "masks": [rle(linear[place]) for place in order[:MASKS]],
                    }
                )
            likes = [alike(model, processor, image, encode("visual"), picture, shares) for shares in EXAMPLES]
            *features, coarse = tracker.get_image_embeddings(pixels)
            # The library adds this to a fourth level of features, and drops that; Meta's code adds it to the third.
            embeddings = [*features, coarse + tracker.no_memory_embedding.view(1, -1, 1, 1)]
            regions = marked(tracker, tracker_processor, picture, embeddings)
            figures.append({**named, "pixels": grid(pixels[0]), "found": found, "alike": likes, "regions": regions})
    export(model, tracker, FIXTURES / "sam3")
    tokens = [
        {"prompt": prompt, "ids": words["input_ids"][0].tolist(), "mask": words["attention_mask"][0].tolist()}
        for prompt, words in ((prompt, encode(prompt)) for prompt in PROMPTS)
    ]
    write("sam3", SEED, {"tokens": tokens, "pictures": figures})
