"""OWL-ViT and OWLv2: one graph each, in the layout of Optimum's export for zero-shot object detection."""

import warnings

import torch
from torchvision.ops import box_convert, box_iou, clip_boxes_to_image, nms
from transformers import (
    Owlv2Config,
    Owlv2ForObjectDetection,
    Owlv2ImageProcessor,
    Owlv2Processor,
    OwlViTConfig,
    OwlViTForObjectDetection,
    OwlViTImageProcessor,
    OwlViTProcessor,
)

from clip import clip_tokenizer, write_reduced
from common import FIXTURES, PROMPTS, grid, pictures, rounded, seeded, spread, threshold_between, write

# The last number shifts the similarities of words and places, so that most logits are low.
KINDS = {
    "owlvit": (OwlViTConfig, OwlViTForObjectDetection, OwlViTImageProcessor, OwlViTProcessor, 768, 32, 5, -0.95),
    "owlv2": (Owlv2Config, Owlv2ForObjectDetection, Owlv2ImageProcessor, Owlv2Processor, 960, 16, 6, -0.75),
}
NMS_IOU = 0.7
CONTEXT = 16
SCALE = 12.0


def build(name):
    make_config, make_model, _, _, side, patch, _, shift = KINDS[name]
    config = make_config(
        text_config={
            "hidden_size": 4,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "max_position_embeddings": CONTEXT,
        },
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": side,
            "patch_size": patch,
        },
        projection_dim=4,
        attn_implementation="eager",
    )
    model = make_model(config)
    spread(model, 1.0)
    with torch.no_grad():
        model.class_head.logit_shift.weight.mul_(0.1)
        model.class_head.logit_shift.bias.fill_(shift)
        model.class_head.logit_scale.weight.mul_(0.1)
        model.class_head.logit_scale.bias.fill_(SCALE)
        model.box_head.dense2.weight.mul_(2)
        model.box_head.dense2.bias[2:] = 1.5
    return model


class Detector(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, pixel_values, attention_mask):
        found = self.model(input_ids=input_ids, pixel_values=pixel_values, attention_mask=attention_mask)
        return found.logits, found.pred_boxes, found.text_embeds, found.image_embeds


def export(name, model, inputs):
    names, results = (
        ["input_ids", "pixel_values", "attention_mask"],
        ["logits", "pred_boxes", "text_embeds", "image_embeds"],
    )
    words = {0: "text_batch_size", 1: "sequence_length"}
    axes = {
        "input_ids": words,
        "attention_mask": words,
        "pixel_values": {0: "batch_size", 1: "num_channels", 2: "height", 3: "width"},
        "logits": {0: "image_batch_size", 2: "num_queries"},
        "pred_boxes": {0: "image_batch_size", 1: "num_boxes"},
        "text_embeds": {0: "text_batch_size", 1: "max_text_queries"},
        "image_embeds": {0: "image_batch_size"},
    }
    path = FIXTURES / name / "model.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Detector(model).eval(),
            tuple(inputs[key] for key in names),
            str(path),
            input_names=names,
            output_names=results,
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )


def results_of(processor, outputs, size):
    """Returns the detections of the library's post-processing, best first, and the boxes that an NMS keeps."""
    threshold = threshold_between(outputs.logits.amax(-1).sigmoid())
    result = processor.post_process_grounded_object_detection(outputs, threshold=threshold, target_sizes=[size])[0]
    order = result["scores"].argsort(descending=True)
    boxes, scores, labels = (result[key][order] for key in ("boxes", "scores", "labels"))
    return {
        "threshold": threshold,
        "boxes": rounded(boxes, 3),
        "scores": rounded(scores, 6),
        "labels": labels.tolist(),
        "kept": nms(clip_boxes_to_image(boxes, size), scores, NMS_IOU).tolist(),
    }


# The examples of a thing in a picture, as shares of it.
EXAMPLES = [[(0.1, 0.2, 0.6, 0.9)], [(0.1, 0.2, 0.6, 0.9), (0.5, 0.1, 0.9, 0.5)]]


def alike(name, model, pixels, picture):
    """
    Returns the detections of the library's heads for examples given by boxes: the embedding of the box that fits an example best is
    the query, as in `image_guided_detection`, where the query is a picture of its own.
    """
    width, height = picture.size
    # The model's boxes are shares of the input: of the padded square for OWLv2.
    sides = (max(picture.size), max(picture.size)) if name == "owlv2" else picture.size
    scale = torch.tensor([*sides, *sides])
    features = model.image_embedder(pixel_values=pixels)[0]
    flat = features.reshape(1, -1, features.shape[-1])
    centers = model.box_predictor(flat, features)[0]
    boxes = clip_boxes_to_image(box_convert(centers, "cxcywh", "xyxy") * scale, (height, width))
    _, embeddings = model.class_predictor(flat)
    found = []
    for shares in EXAMPLES:
        given = torch.tensor(shares) * torch.tensor([width, height, width, height])
        best = box_iou(given, boxes).argmax(1)
        units = torch.nn.functional.normalize(embeddings[0, best], dim=-1)
        logits, _ = model.class_predictor(flat, units.mean(0)[None, None])
        scores = logits[0, :, 0].sigmoid()
        threshold = threshold_between(scores)
        kept = (scores > threshold).nonzero()[:, 0]
        kept = kept[scores[kept].argsort(descending=True)]
        top = scores.sort(descending=True).values
        print("  examples", best.tolist(), rounded(top[:6], 4))
        found.append(
            {
                "prompt": "",
                "examples": rounded(given, 3),
                "threshold": threshold,
                "boxes": rounded(boxes[kept], 3),
                "scores": rounded(scores[kept], 6),
            }
        )
    return found


def make(name, vocabulary):
    """@param vocabulary CLIP's bpe_simple_vocab_16e6.txt.gz"""
    _, _, make_images, make_processor, _, _, seed, _ = KINDS[name]
    model = seeded(lambda: build(name), seed)
    tokenizer = clip_tokenizer(vocabulary, pad="!")
    processor = make_processor(make_images(), tokenizer)
    write_reduced(tokenizer, [*PROMPTS, "a", "!"], FIXTURES / name / "tokenizer.json")
    # The library's processor does not cut a text that is too long for the model.
    encode = lambda texts: tokenizer(
        texts, padding="max_length", max_length=CONTEXT, truncation=True, return_tensors="pt"
    )
    figures = []
    with torch.no_grad():
        for named, picture, prompts in pictures():
            inputs = {**encode(prompts), **processor(images=picture, return_tensors="pt")}
            if not figures:
                export(name, model, inputs)
            outputs = model(**inputs)
            size = picture.size[::-1]
            joint = results_of(processor, outputs, size)
            found = []
            for place, prompt in enumerate(prompts):
                alone = outputs.__class__(**{**outputs, "logits": outputs.logits[..., place : place + 1]})
                result = results_of(processor, alone, size)
                del result["labels"]
                found.append({"prompt": prompt, **result})
                top = alone.logits.flatten().sigmoid().sort(descending=True).values
                print(named["file"], prompt[:30], len(result["boxes"]), len(result["kept"]), rounded(top[:10], 3))
            likes = alike(name, model, inputs["pixel_values"], picture)
            pixels = grid(inputs["pixel_values"][0])
            figures.append({**named, "pixels": pixels, "joint": joint, "found": found, "alike": likes})
    tokens = [
        {"prompt": prompt, "ids": words["input_ids"][0].tolist(), "mask": words["attention_mask"][0].tolist()}
        for prompt, words in ((prompt, encode([prompt])) for prompt in PROMPTS)
    ]
    write(name, seed, {"nmsIou": NMS_IOU, "tokens": tokens, "pictures": figures})
