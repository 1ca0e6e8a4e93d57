/**
 * The tracker's decoder of the fixture graphs: a region marks the color in the middle of its box and of its points, and
 * its mask has everything of this color, and the mask that it corrects.
 */
import { type Changes, float, FixtureGraph, SIDE } from "./fixture.ts";

/** Channels of the two finer levels of features. */
export const [FINE, MIDDLE] = [4, 8];
/** The side of the encoder's pictures, in whose pixels regions are. */
const PICTURE = 1008;
const QUALITY = 0.9;

export function fixtureRegionDecoder(changes: Changes): Uint8Array {
  const graph = new FixtureGraph(changes);
  const fine = graph.taken("high_res_feats_0", float(1, FINE, SIDE, SIDE));
  graph.taken("high_res_feats_1", float(1, MIDDLE, SIDE / 2, SIDE / 2));
  graph.taken("image_embed", float(1, graph.channels, SIDE / 4, SIDE / 4));
  const points = graph.taken("point_coords", float("regions", "points", 2));
  const labels = graph.taken("point_labels", float("regions", "points"));
  const prior = graph.taken("mask_input", float("regions", 1, SIDE, SIDE));
  const hasPrior = graph.taken("has_mask_input", float(1));
  const number = (value: number): string => graph.floats([value], []);

  const isOn = graph.cast(graph.node("Greater", [labels, number(0.5)]), "float32");
  const weights = graph.reshaped(isOn, [0, -1, 1]);
  const sum = (value: string): string => graph.node("ReduceSum", [value, graph.int64s([1])], { keepdims: 0 });
  const middle = graph.node("Div", [sum(graph.node("Mul", [points, weights])), sum(weights)]);
  const cell = graph.node("Floor", [graph.node("Mul", [middle, number(SIDE / PICTURE)])]);
  const place = graph.cast(graph.node("MatMul", [cell, graph.floats([1, SIDE], [2, 1])]), "int64");

  const colors = graph.node("Slice", [fine, graph.int64s([0]), graph.int64s([3]), graph.int64s([1])]);
  const all = graph.reshaped(colors, [1, 3, SIDE * SIDE]);
  const marked = graph.node("Transpose", [graph.node("Gather", [all, place], { axis: 2 })], {
    perm: [2, 1, 0, 3],
  });
  const apart = graph.node("Sub", [graph.reshaped(marked, [-1, 3, 1]), all]);
  const squares = sum(graph.node("Mul", [apart, apart]));
  const logits = graph.node("Sub", [number(8), graph.node("Mul", [squares, number(32)])]);
  const drawn = graph.reshaped(logits, [-1, 1, SIDE, SIDE]);
  const corrected = graph.node("Where", [
    graph.node("Greater", [hasPrior, number(0.5)]),
    graph.node("Max", [drawn, prior]),
    drawn,
  ]);
  graph.given(corrected, "masks", float("regions", "candidates", SIDE, SIDE));
  const none = graph.node("Mul", [sum(weights), number(0)]);
  graph.given(graph.node("Add", [none, number(QUALITY)]), "iou_predictions", float("regions", "candidates"));
  return graph.file();
}
