/**
 * SAM 3 without weights: graphs with the tensors of its export, and a simple world. A prompt's words "red", "green" and
 * "blue" select a color channel; its bright part in each quarter of the picture is an object. A caller that shows the
 * decoder a padded position, a box prompt or other features gets no object.
 */
import { bool, type Changes, float, int64, FixtureGraph, POSITION, pyramid, TOKENS } from "./fixture.ts";
import { fixtureDecoder } from "./fixture-decoder.ts";
import { FINE, fixtureRegionDecoder, MIDDLE } from "./fixture-region-decoder.ts";

/** CLIP's ids of the three words. */
const COLOURS = [736, 1901, 1746];

/** The three graphs. */
export function fixtureGraphs(changes: Changes): Record<string, Uint8Array> {
  return {
    "vision-encoder.onnx": visionEncoder(changes),
    "text-encoder.onnx": textEncoder(changes),
    "geo-encoder-mask-decoder.onnx": fixtureDecoder(changes),
  };
}

/** The four graphs of the layout whose decoder draws regions. */
export function fixtureRegionGraphs(changes: Changes): Record<string, Uint8Array> {
  return {
    ...fixtureGraphs(changes),
    "vision-encoder.onnx": visionEncoder(changes, true),
    "region-decoder.onnx": fixtureRegionDecoder(changes),
  };
}

function visionEncoder(changes: Changes, forRegions = false): Uint8Array {
  const graph = new FixtureGraph(changes);
  const image = graph.taken("images", float("batch", 3, 1008, 1008));
  const batch = graph.node("Slice", [graph.node("Shape", [image]), graph.int64s([0]), graph.int64s([1])]);
  for (const [level, side] of pyramid.entries()) {
    const form = float("batch", graph.channels, side, side);
    const features = feature(graph, image, side, batch);
    graph.given(features, `fpn_feat_${level}`, form);
    if (level === 2) graph.given(position(graph, features), "fpn_pos_2", form);
    if (!forRegions) continue;
    const channels = [FINE, MIDDLE][level] ?? graph.channels;
    const shown = float("batch", channels, side, side);
    graph.given(feature(graph, image, side, batch, channels), `image_embeddings.${level}`, shown);
  }
  return graph.file();
}

/** The three colors of each picture at a level's size; the other channels are 0. */
function feature(
  graph: FixtureGraph,
  image: string,
  side: number,
  batch: string,
  channels = graph.channels,
): string {
  const sizes = graph.node("Concat", [batch, graph.int64s([3, side, side])], { axis: 0 });
  const small = graph.node("Resize", [image, "", "", sizes], { mode: "linear" });
  return graph.padded(small, 4, 1, channels - 3);
}

function position(graph: FixtureGraph, features: string): string {
  const value = graph.floats([POSITION], []);
  return graph.node("Clip", [features, value, value]);
}

function textEncoder(changes: Changes): Uint8Array {
  const graph = new FixtureGraph(changes);
  const ids = graph.taken("input_ids", int64("batch", TOKENS));
  const mask = graph.taken("attention_mask", int64("batch", TOKENS));
  const features = wordFeatures(graph, ids, 49407);
  graph.given(features, "text_features", float("batch", TOKENS, graph.channels));
  graph.given(
    graph.node("Greater", [mask, graph.floats([changes.maskless === true ? -1 : 0])]),
    "text_mask",
    bool("batch", TOKENS),
  );
  return graph.file();
}

/** [batch, tokens, channels]: the color of each token, and a flag for padding. */
function wordFeatures(graph: FixtureGraph, ids: string, pad: number): string {
  const each = graph.reshaped(ids, [-1, TOKENS, 1]);
  const known = graph.cast(graph.node("Equal", [each, graph.floats([...COLOURS, pad])]), "float32");
  return graph.padded(known, 3, 2, graph.channels - 4);
}
