"""
Exports SAM 3 with one image encoder for two decoders: `python export.py CHECKPOINT FOLDER`, for pictures of 1008 × 1008.
Text encoder and decoder of words have the tensors of usls (scripts/sam3-image, version 2). The image encoder returns the
features of both; the decoder of regions takes clicks and masks as SAM 2's exports do. Needs torch 2.9 and transformers 5.23.
"""

import argparse
import warnings
from pathlib import Path

import torch
from transformers import Sam3Model, Sam3TrackerModel
from transformers.modeling_outputs import BaseModelOutputWithPooling
from transformers.models.sam3.modeling_sam3 import Sam3VisionEncoderOutput

SIDE = 1008
CONTEXT = 32
# As SAM's predictors limit the masks that they take again.
MOST = 32.0
WORDS = ["fpn_feat_0", "fpn_feat_1", "fpn_feat_2", "fpn_pos_2"]
REGIONS = ["image_embeddings.0", "image_embeddings.1", "image_embeddings.2"]


class ImageEncoder(torch.nn.Module):
    """The backbone once, and the necks of the detector and of the tracker."""

    def __init__(self, model, tracker):
        super().__init__()
        self.vision = model.vision_encoder
        self.neck = tracker.vision_encoder.neck
        self.fine, self.middle = tracker.mask_decoder.conv_s0, tracker.mask_decoder.conv_s1
        self.no_memory = tracker.no_memory_embedding

    def forward(self, images):
        found = self.vision(images)
        cells = SIDE // self.vision.config.backbone_config.patch_size
        spatial = found.last_hidden_state.view(images.shape[0], cells, cells, -1).permute(0, 3, 1, 2)
        fine, middle, coarse = self.neck(spatial)[0][:3]
        return (
            *found.fpn_hidden_states[:3],
            found.fpn_position_encoding[2],
            self.fine(fine),
            self.middle(middle),
            # As in Meta's code. The library adds it to a fourth level, which it drops.
            coarse + self.no_memory.view(1, -1, 1, 1),
        )


class TextEncoder(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        found = self.model.get_text_features(input_ids=input_ids, attention_mask=attention_mask, return_dict=True)
        return found.pooler_output, attention_mask > 0


class WordDecoder(torch.nn.Module):
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


class RegionDecoder(torch.nn.Module):
    """
    The tracker's prompt encoder and mask decoder. The corners of a box are points with the labels 2 and 3. Returns the
    single mask, then the three alternatives.
    """

    def __init__(self, tracker):
        super().__init__()
        self.tracker = tracker
        # It is given all four masks, and would choose one.
        tracker.mask_decoder._dynamic_multimask_via_stability = lambda masks, ratings: (masks, ratings)

    def forward(self, fine, middle, coarse, points, labels, prior, has_prior):
        regions = points.shape[0]
        prompts, decoder = self.tracker.prompt_encoder, self.tracker.mask_decoder
        sparse, no_prior = prompts(points[:, None], labels[:, None].to(torch.int64), None, None)
        dense = torch.where(has_prior > 0, prompts.mask_embed(prior), no_prior)
        each = lambda features: features.expand(regions, -1, -1, -1)
        places = each(self.tracker.get_image_wide_positional_embeddings())
        masks, ratings, _, _ = decoder(
            image_embeddings=each(coarse),
            image_positional_embeddings=places,
            sparse_prompt_embeddings=sparse,
            dense_prompt_embeddings=dense,
            multimask_output=False,
            high_resolution_features=[each(fine), each(middle)],
        )
        return masks[:, 0].clamp(-MOST, MOST), ratings[:, 0]


def export_graph(module, inputs, path, names, results, axes):
    """@param axes the names of the dimensions of any size, by tensor"""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            inputs,
            str(path),
            input_names=names,
            output_names=results,
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )


def of_any_batch(names, more=None):
    return {name: {0: "batch", **(more or {}).get(name, {})} for name in names}


def export(model, tracker, folder):
    """Writes the four graphs."""
    images = torch.zeros(1, 3, SIDE, SIDE)
    ids = torch.full((1, CONTEXT), 49407)
    words = (ids, torch.ones_like(ids))
    image_encoder, text_encoder = ImageEncoder(model, tracker).eval(), TextEncoder(model).eval()
    names = ["images"]
    export_graph(
        image_encoder, (images,), folder / "vision-encoder.onnx", names, [*WORDS, *REGIONS],
        of_any_batch([*names, *WORDS, *REGIONS]),
    )
    names, results = ["input_ids", "attention_mask"], ["text_features", "text_mask"]
    export_graph(
        text_encoder, words, folder / "text-encoder.onnx", names, results, of_any_batch([*names, *results])
    )
    with torch.no_grad():
        features = image_encoder(images)
        encoded = text_encoder(*words)
    boxes = (torch.rand(1, 2, 4) / 2 + 0.25, torch.ones(1, 2, dtype=torch.long))
    names = [*WORDS, "text_features", "text_mask", "input_boxes", "input_boxes_labels"]
    results = ["pred_masks", "pred_boxes", "pred_logits", "presence_logits"]
    export_graph(
        WordDecoder(model),
        (*features[:4], *encoded, *boxes),
        folder / "geo-encoder-mask-decoder.onnx",
        names,
        results,
        of_any_batch([*names, *results], {name: {1: "num_boxes"} for name in names[-2:]}),
    )
    side = features[4].shape[-1]
    names = ["high_res_feats_0", "high_res_feats_1", "image_embed"]
    prompt = ["point_coords", "point_labels", "mask_input", "has_mask_input"]
    results = ["masks", "iou_predictions"]
    export_graph(
        RegionDecoder(tracker),
        (
            *features[4:],
            torch.rand(2, 3, 2) * SIDE,
            torch.tensor([[2.0, 3.0, 1.0], [0.0, 1.0, 1.0]]),
            torch.zeros(2, 1, side, side),
            torch.ones(1),
        ),
        folder / "region-decoder.onnx",
        [*names, *prompt],
        results,
        {
            **{name: {0: "regions", 1: "points"} for name in prompt[:2]},
            **{name: {0: "regions"} for name in [prompt[2], *results]},
        },
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", help="facebook/sam3, or a folder with its files")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    load = lambda kind: kind.from_pretrained(given.checkpoint, attn_implementation="eager").eval()
    export(load(Sam3Model), load(Sam3TrackerModel), given.folder)
