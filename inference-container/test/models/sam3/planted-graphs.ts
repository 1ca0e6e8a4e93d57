/**
 * SAM 3 without weights: graphs with the tensors of the exports in use, and a world of their own. A prompt's words
 * "red", "green" and "blue" select a colour channel; what is bright in it, in each quarter of the picture, is an
 * object. A caller that shows the decoder a padded position, a box prompt or other features gets no object.
 */
import { bool, type Changes, float, int64, Planted, POSITION, pyramid, TOKENS } from "./planted.ts";
import { decoderA, decoderB } from "./planted-decoders.ts";

/** CLIP's ids of the three words. */
const COLOURS = [736, 1901, 1746];

/** The three graphs of layout A; if `pixels`, the decoder takes the picture's size. */
export function layoutA(pixels: boolean, changes: Changes): Record<string, Uint8Array> {
  return {
    "sam3_image_encoder.onnx": imageEncoderA(changes),
    "sam3_language_encoder.onnx": languageEncoderA(changes),
    "sam3_decoder.onnx": decoderA(pixels, changes),
  };
}

/** The three graphs of layout B. */
export function layoutB(changes: Changes): Record<string, Uint8Array> {
  return {
    "vision-encoder.onnx": visionEncoderB(changes),
    "text-encoder.onnx": textEncoderB(changes),
    "geo-encoder-mask-decoder.onnx": decoderB(changes),
  };
}

function imageEncoderA(changes: Changes): Uint8Array {
  const graph = new Planted(changes);
  const pixels = graph.taken("image", { dtype: "uint8", shape: [3, 1008, 1008] });
  const halves = graph.node("Div", [pixels, graph.floats([127.5])]);
  const image = graph.reshaped(graph.node("Sub", [halves, graph.floats([1])]), [1, 3, 1008, 1008]);
  for (const [level, side] of pyramid.entries()) {
    const form = float(1, graph.channels, side, side);
    const features = feature(graph, image, side);
    graph.given(features, `backbone_fpn_${level}`, form);
    if (level === 2 || changes.complete !== undefined)
      graph.given(position(graph, features), `vision_pos_enc_${level}`, form);
  }
  return graph.file();
}

function visionEncoderB(changes: Changes): Uint8Array {
  const graph = new Planted(changes);
  const image = graph.taken("images", float("batch", 3, 1008, 1008));
  const batch = graph.node("Slice", [graph.node("Shape", [image]), graph.int64s([0]), graph.int64s([1])]);
  for (const [level, side] of pyramid.entries()) {
    const form = float("batch", graph.channels, side, side);
    const features = feature(graph, image, side, batch);
    graph.given(features, `fpn_feat_${level}`, form);
    if (level === 2) graph.given(position(graph, features), "fpn_pos_2", form);
  }
  return graph.file();
}

/** The three colours of each picture at a level's size; the other channels are 0. */
function feature(graph: Planted, image: string, side: number, batch = graph.int64s([1])): string {
  const sizes = graph.node("Concat", [batch, graph.int64s([3, side, side])], { axis: 0 });
  const small = graph.node("Resize", [image, "", "", sizes], { mode: "linear" });
  return graph.padded(small, 4, 1, graph.channels - 3);
}

function position(graph: Planted, features: string): string {
  const value = graph.floats([POSITION], []);
  return graph.node("Clip", [features, value, value]);
}

function languageEncoderA(changes: Changes): Uint8Array {
  const graph = new Planted(changes);
  const ids = graph.taken("tokens", int64(1, TOKENS));
  const features = wordFeatures(graph, ids, 0);
  graph.given(
    graph.reshaped(features, [TOKENS, 1, graph.channels]),
    "text_memory",
    float(TOKENS, 1, graph.channels),
  );
  const padding = graph.node("Equal", [ids, graph.floats([0])]);
  graph.given(padding, "text_attention_mask", bool(1, TOKENS));
  const wide = graph.padded(
    graph.reshaped(features, [TOKENS, 1, graph.channels]),
    3,
    2,
    1024 - graph.channels,
  );
  if (changes.complete !== undefined) graph.given(wide, "text_embeds", float(TOKENS, 1, 1024));
  return graph.file();
}

function textEncoderB(changes: Changes): Uint8Array {
  const graph = new Planted(changes);
  const ids = graph.taken("input_ids", int64("batch", TOKENS));
  const mask = graph.taken("attention_mask", int64("batch", TOKENS));
  const features = wordFeatures(graph, ids, 49407);
  graph.given(features, "text_features", float("batch", TOKENS, graph.channels));
  graph.given(graph.node("Greater", [mask, graph.floats([0])]), "text_mask", bool("batch", TOKENS));
  return graph.file();
}

/** [batch, tokens, channels]: which of the colours a token is, and whether it is padding. */
function wordFeatures(graph: Planted, ids: string, pad: number): string {
  const each = graph.reshaped(ids, [-1, TOKENS, 1]);
  const known = graph.cast(graph.node("Equal", [each, graph.floats([...COLOURS, pad])]), "float32");
  return graph.padded(known, 3, 2, graph.channels - 4);
}
