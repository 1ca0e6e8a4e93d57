"""SAM 3: three graphs in the layout of usls (scripts/sam3-image, version 2), for pictures of 1008 × 1008."""

import warnings

import torch
from torchvision.ops import box_convert
from transformers import CLIPTextConfig, Sam3Config, Sam3ImageProcessor, Sam3Model, Sam3Processor
from transformers.modeling_outputs import BaseModelOutputWithPooling
from transformers.models.sam3.modeling_sam3 import Sam3VisionEncoderOutput

from clip import clip_tokenizer, write_reduced
from common import FIXTURES, PROMPTS, grid, pictures, rle, rounded, seeded, spread, threshold_between, write

SEED = 4
# Masks of random weights are all edge: their run lengths are long.
MASKS = 1
CONTEXT = 32
WIDTH = 32
# The logits of most queries are to stay below the threshold, and that of presence above 0.
OFFSET = 0.5
PRESENCE = 2.0
SCALE = 3.0


def build():
    part = {"hidden_size": WIDTH, "num_attention_heads": 2, "intermediate_size": 32, "dropout": 0.0}
    vit = {
        "model_type": "sam3_vit_model",
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "global_attn_indexes": [1],
    }
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
        vision_config={"backbone_config": vit, "fpn_hidden_size": WIDTH},
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


class ImageEncoder(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.vision = model.vision_encoder

    def forward(self, images):
        found = self.vision(images)
        return (*found.fpn_hidden_states[:3], found.fpn_position_encoding[2])


class TextEncoder(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        found = self.model.get_text_features(input_ids=input_ids, attention_mask=attention_mask, return_dict=True)
        return found.pooler_output, attention_mask > 0


class Decoder(torch.nn.Module):
    """The rest of the model; words and boxes are its prompt, and the label −10 marks a box that is none."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, fpn0, fpn1, fpn2, pos2, text_features, text_mask, input_boxes, input_boxes_labels):
        given = input_boxes_labels != -10
        geometry = self.model.geometry_encoder(
            box_embeddings=input_boxes,
            box_mask=given,
            box_labels=torch.where(given, input_boxes_labels, 0),
            img_feats=(fpn2,),
            img_pos_embeds=(pos2,),
        )
        boxes_mask = geometry.attention_mask & given.any(1, keepdim=True)
        words = BaseModelOutputWithPooling(pooler_output=torch.cat([text_features, geometry.last_hidden_state], 1))
        # The model drops the last level of features, which exports do not have.
        image = Sam3VisionEncoderOutput(
            fpn_hidden_states=(fpn0, fpn1, fpn2, fpn2), fpn_position_encoding=(pos2, pos2, pos2, pos2)
        )
        found = self.model(
            vision_embeds=image, text_embeds=words, attention_mask=torch.cat([text_mask, boxes_mask], 1)
        )
        return found.pred_masks, found.pred_boxes, found.pred_logits, found.presence_logits


def export_graph(module, inputs, file, names, results, axes=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            inputs,
            str(FIXTURES / "sam3" / file),
            input_names=names,
            output_names=results,
            dynamic_axes={name: {0: "batch", **(axes or {}).get(name, {})} for name in [*names, *results]},
            opset_version=17,
            dynamo=False,
        )


def export(model, inputs):
    features = ["fpn_feat_0", "fpn_feat_1", "fpn_feat_2", "fpn_pos_2"]
    words = (inputs["input_ids"], inputs["attention_mask"])
    image_encoder, text_encoder = ImageEncoder(model).eval(), TextEncoder(model).eval()
    export_graph(image_encoder, (inputs["pixel_values"],), "vision-encoder.onnx", ["images"], features)
    export_graph(
        text_encoder, words, "text-encoder.onnx", ["input_ids", "attention_mask"], ["text_features", "text_mask"]
    )
    boxes = (torch.rand(1, 2, 4) / 2 + 0.25, torch.ones(1, 2, dtype=torch.long))
    export_graph(
        Decoder(model),
        (*image_encoder(inputs["pixel_values"]), *text_encoder(*words), *boxes),
        "geo-encoder-mask-decoder.onnx",
        [*features, "text_features", "text_mask", "input_boxes", "input_boxes_labels"],
        ["pred_masks", "pred_boxes", "pred_logits", "presence_logits"],
        {"input_boxes": {1: "num_boxes"}, "input_boxes_labels": {1: "num_boxes"}},
    )


def scores_of(outputs):
    return outputs.pred_logits.sigmoid() * outputs.presence_logits.sigmoid()


def on_logits(outputs, size, threshold):
    """Masks as usls draws them: the logits are enlarged, not their sigmoids."""
    masks = outputs.pred_masks[scores_of(outputs) > threshold][None]
    return torch.nn.functional.interpolate(masks, size=size, mode="bilinear", align_corners=False)[0] > 0


# The examples of a thing in a picture: centers and sizes, as shares of it.
EXAMPLES = [[(0.35, 0.55, 0.5, 0.7)], [(0.35, 0.55, 0.5, 0.7), (0.7, 0.3, 0.4, 0.4)]]


def alike(model, processor, image, words, picture, shares):
    """Returns the finds of the model for examples given by boxes, with its processor's text for them."""
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


def make(vocabulary):
    """@param vocabulary CLIP's bpe_simple_vocab_16e6.txt.gz"""
    model = seeded(build, SEED)
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
                    if not figures:
                        export(model, {**words, "pixel_values": pixels})
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
            figures.append({**named, "pixels": grid(pixels[0]), "found": found, "alike": likes})
    tokens = [
        {"prompt": prompt, "ids": words["input_ids"][0].tolist(), "mask": words["attention_mask"][0].tolist()}
        for prompt, words in ((prompt, encode(prompt)) for prompt in PROMPTS)
    ]
    write("sam3", SEED, {"tokens": tokens, "pictures": figures})
