/** The decoders of the planted graphs: one world behind the tensors of each layout. */
import { bool, type Changes, float, int64, Planted, POSITION, pyramid, SIDE, TOKENS } from "./planted.ts";

/** How far a quarter's logit is below the best one's: top left, top right, bottom left, bottom right. */
const HANDICAPS = [1.5, 0.5, 1, 0];
const OUTSIDE = -1000;
const QUERIES = 200;

interface Inputs {
  readonly fpn0: string;
  readonly position: string;
  /** [tokens, channels] */
  readonly words: string;
  /** [1, tokens]: 1 where the decoder may look. */
  readonly seen: string;
  /** A penalty that is 0 if no box prompt is given. */
  readonly boxPrompt: string;
  /** Padding tokens that belong to every prompt: an end token looks like padding in layout B. */
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

/** Layout A: all objects likelier than 0.5, in pixels of the given size or in units. */
export function decoderA(pixels: boolean, changes: Changes): Uint8Array {
  const graph = new Planted(changes);
  const boxPrompts = changes.boxes ?? "boxes";
  const complete = changes.complete === "all";
  const [height = "", width = ""] = pixels
    ? ["original_height", "original_width"].map((name) => graph.taken(name, int64()))
    : [];
  const positions = pyramid.map((side, level) =>
    level === 2 || complete
      ? graph.taken(`vision_pos_enc_${level}`, float(1, graph.channels, side, side))
      : "",
  );
  const [fpn0 = ""] = pyramid.map((side, level) =>
    graph.taken(`backbone_fpn_${level}`, float(1, graph.channels, side, side)),
  );
  if (complete) graph.taken("language_embeds", float(TOKENS, 1, 1024));
  const padding = graph.taken("language_mask", bool(1, TOKENS));
  const features = graph.taken("language_features", float(TOKENS, 1, graph.channels));
  graph.taken("box_coords", float(boxPrompts, 1, 4));
  graph.taken("box_labels", int64(boxPrompts, 1));
  const absent = graph.taken("box_masks", bool(1, boxPrompts));
  const found = quarters(graph, {
    fpn0,
    position: positions[2] ?? "",
    words: graph.reshaped(features, [TOKENS, graph.channels]),
    seen: graph.node("Sub", [graph.floats([1]), padding]),
    boxPrompt: graph.node("Sub", [graph.floats([1]), graph.node("ReduceMin", [absent], { keepdims: 0 })]),
    ownPadding: 0,
  });
  const scores = graph.node("Mul", [sigmoid(graph, found.logits), sigmoid(graph, found.presence)]);
  const likely = graph.node("Greater", [scores, graph.floats([0.5])]);
  const kept = (values: string): string => graph.node("Compress", [values, likely], { axis: 0 });
  graph.given(kept(scores), "scores", float("found"));
  const boxes = kept(found.boxes);
  const masks = graph.node("Unsqueeze", [kept(found.masks), graph.int64s([1])]);
  if (!pixels) {
    graph.given(boxes, "boxes", float("found", 4));
    graph.given(sigmoid(graph, masks), "masks", float("found", 1, SIDE, SIDE));
    return graph.file();
  }
  const size = [height, width].map((side) => graph.reshaped(side, [1]));
  const [down = "", across = ""] = size;
  const corners = graph.node("Concat", [across, down, across, down], { axis: 0 });
  graph.given(graph.node("Mul", [boxes, corners]), "boxes", float("found", 4));
  const [count, wholeSize] = [
    graph.node("Shape", [kept(scores)]),
    size.map((side) => graph.cast(side, "int64")),
  ];
  const sizes = graph.node("Concat", [count, graph.int64s([1]), ...wholeSize], { axis: 0 });
  const whole = graph.node("Resize", [masks, "", "", sizes], { mode: "linear" });
  graph.given(
    graph.node("Greater", [whole, graph.floats([0])]),
    "masks",
    bool("found", 1, "height", "width"),
  );
  return graph.file();
}

/** Layout B: all queries as logits; the first four are the quarters. */
export function decoderB(changes: Changes): Uint8Array {
  const graph = new Planted(changes);
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
    graph.node("Unsqueeze", [graph.padded(values, rank, 0, QUERIES - 4, fill), graph.int64s([0])]);
  graph.given(all(found.masks, 3, -8), "pred_masks", float("batch", QUERIES, SIDE, SIDE));
  graph.given(all(found.boxes, 2, 0), "pred_boxes", float("batch", QUERIES, 4));
  graph.given(all(found.logits, 1, -10), "pred_logits", float("batch", QUERIES));
  graph.given(graph.reshaped(found.presence, [1, 1]), "presence_logits", float("batch", 1));
  return graph.file();
}

/** What the words mean in each quarter of the picture. */
export function quarters(
  graph: Planted,
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
function boxesAround(graph: Planted, masks: string): string {
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

function sigmoid(graph: Planted, value: string): string {
  return graph.node("Sigmoid", [value]);
}
