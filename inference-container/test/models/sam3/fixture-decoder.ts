/** The decoder of the fixture graphs, and the world behind its tensors. */
import {
  bool,
  type Changes,
  float,
  int64,
  FixtureGraph,
  POSITION,
  pyramid,
  SIDE,
  TOKENS,
} from "./fixture.ts";

/** The distance of each quarter's logit below the best one's: top left, top right, bottom left, bottom right. */
const HANDICAPS = [1.5, 0.5, 1, 0];
const OUTSIDE = -1000;

interface Inputs {
  readonly fpn0: string;
  readonly position: string;
  /** [tokens, channels] */
  readonly words: string;
  /** [1, tokens]: 1 where the decoder may look. */
  readonly seen: string;
  /** A penalty that is 0 if no box prompt is given. */
  readonly boxPrompt: string;
  /** Padding tokens that belong to every prompt: an end token looks like padding. */
  readonly ownPadding: number;
}

interface Quarters {
  /** [4, side, side] logits */
  readonly masks: string;
  /** [4, 4], 0 to 1 */
  readonly boxes: string;
  /** [4] */
  readonly logits: string;
  /** [1] */
  readonly presence: string;
}

/** All queries as logits; the first four are the quarters. */
export function fixtureDecoder(changes: Changes): Uint8Array {
  const { queries = 200 } = changes;
  const graph = new FixtureGraph(changes);
  const [fpn0 = ""] = pyramid.map((side, level) =>
    graph.taken(`fpn_feat_${level}`, float("batch", graph.channels, side, side)),
  );
  const position = graph.taken("fpn_pos_2", float("batch", graph.channels, SIDE / 4, SIDE / 4));
  const features = graph.taken("text_features", float("batch", TOKENS, graph.channels));
  const tokens = graph.taken("text_mask", bool("batch", TOKENS));
  graph.taken("input_boxes", float("batch", "boxes", 4));
  const labels = graph.taken("input_boxes_labels", int64("batch", "boxes"));
  const present = graph.node("Abs", [graph.node("Add", [labels, graph.floats([10])])]);
  const found = quarters(graph, {
    fpn0,
    position,
    words: graph.reshaped(features, [TOKENS, graph.channels]),
    seen: tokens,
    boxPrompt: graph.node("ReduceMax", [present], { keepdims: 0 }),
    ownPadding: 1,
  });
  const all = (values: string, rank: number, fill: number): string =>
    graph.node("Unsqueeze", [graph.padded(values, rank, 0, queries - 4, fill), graph.int64s([0])]);
  graph.given(all(found.masks, 3, -8), "pred_masks", float("batch", queries, SIDE, SIDE));
  graph.given(all(found.boxes, 2, 0), "pred_boxes", float("batch", queries, 4));
  graph.given(all(found.logits, 1, -10), "pred_logits", float("batch", queries));
  graph.given(graph.reshaped(found.presence, [1, 1]), "presence_logits", float("batch", 1));
  return graph.file();
}

/** Meaning of the words in each quarter of the picture. */
export function quarters(
  graph: FixtureGraph,
  { fpn0, position, words, seen, boxPrompt, ownPadding }: Inputs,
): Quarters {
  const summed = graph.reshaped(graph.node("MatMul", [seen, words]), [graph.channels]);
  const part = (from: number, to: number): string =>
    graph.node("Slice", [summed, graph.int64s([from]), graph.int64s([to])]);
  const colours = graph.node("Slice", [fpn0, graph.int64s([0]), graph.int64s([3]), graph.int64s([1])]);
  const response = graph.node("MatMul", [
    graph.reshaped(part(0, 3), [1, 3]),
    graph.reshaped(colours, [3, SIDE * SIDE]),
  ]);
  const weight = graph.changes.sidecar;
  const steepness = weight === undefined ? graph.floats([1]) : graph.storedFloats("steepness", [1], weight);
  const logits = graph.node("Mul", [
    graph.reshaped(response, [1, SIDE, SIDE]),
    graph.node("Mul", [steepness, graph.floats([8])]),
  ]);
  const masks = graph.node("Sum", [
    logits,
    graph.floats(
      fence((quarter) => quarter > 1),
      [4, SIDE, 1],
    ),
    graph.floats(
      fence((quarter) => quarter % 2 === 1),
      [4, 1, SIDE],
    ),
  ]);
  const best = graph.node("ReduceMax", [masks], { axes: [1, 2], keepdims: 0 });
  const most = graph.node("ReduceMax", [best], { keepdims: 0 });
  const bounded = graph.node("Clip", [most, graph.floats([-1], []), graph.floats([1], [])]);
  const away = graph.node("Sub", [position, graph.floats([POSITION])]);
  const padding = graph.node("Sub", [part(3, 4), graph.floats([ownPadding])]);
  const faults = graph.node("Sum", [
    graph.node("ReduceMax", [graph.node("Abs", [away])], { keepdims: 0 }),
    graph.node("Abs", [padding]),
    boxPrompt,
  ]);
  return {
    masks,
    boxes: boxesAround(graph, masks),
    logits: graph.node("Sub", [
      graph.node("Mul", [best, graph.floats([0.5])]),
      graph.node("Add", [graph.floats(HANDICAPS), graph.node("Mul", [faults, graph.floats([100])])]),
    ]),
    presence: graph.reshaped(graph.node("Mul", [bounded, graph.floats([3])]), [1]),
  };
}

/** One side's penalties, per quarter: none in its half of the picture. */
function fence(isSecondHalf: (quarter: number) => boolean): number[] {
  return Array.from({ length: 4 * SIDE }, (_, i) =>
    isSecondHalf(Math.floor(i / SIDE)) === i % SIDE >= SIDE / 2 ? 0 : OUTSIDE,
  );
}

/** [quarters, 4]: the box around each mask's positive cells, 0 to 1. */
function boxesAround(graph: FixtureGraph, masks: string): string {
  const sides = [2, 1].map((axis) => {
    // A column's cells are set by the maximum over its rows, and vice versa.
    const line = graph.node("ReduceMax", [masks], { axes: [axis === 2 ? 1 : 2], keepdims: 0 });
    const set = graph.node("Greater", [line, graph.floats([0])]);
    const edge = (offset: number, otherwise: number, operator: string): string => {
      const edges = Array.from({ length: SIDE }, (_, i) => (i + offset) / SIDE);
      const values = graph.node("Where", [set, graph.floats(edges), graph.floats([otherwise])]);
      return graph.node(operator, [values], { axes: [1], keepdims: 1 });
    };
    return { from: edge(0, 1, "ReduceMin"), to: edge(1, 0, "ReduceMax") };
  });
  const [x, y] = sides;
  return graph.node("Concat", [x?.from ?? "", y?.from ?? "", x?.to ?? "", y?.to ?? ""], { axis: 1 });
}
