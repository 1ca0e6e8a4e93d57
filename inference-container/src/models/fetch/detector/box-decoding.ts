/** The detector's last step as ONNX nodes: box deltas relative to anchors become corners. */
import type { OnnxGraph } from "../../../onnx/graph-writer.ts";

export interface BoxTensors {
  /** The name of an f32 value [1, count, 4]: (dy, dx, dh, dw). */
  readonly deltas: string;
  /** `count` anchors (cy, cx, h, w) in units of the input's side. */
  readonly anchors: Float32Array<ArrayBuffer>;
  readonly count: number;
}

/**
 * Adds the decoding of an SSD box coder with unit scales, as TFLite_Detection_PostProcess does it:
 * cy = dy·h + y, cx = dx·w + x, h' = exp(dh)·h, w' = exp(dw)·w.
 * The value `output` is f32 [1, count, 4] with (x1, y1, x2, y2).
 */
export function decodeBoxes(graph: OnnxGraph, { deltas, anchors, count }: BoxTensors, output: string): void {
  const column = (index: number): string =>
    graph.node("Slice", [deltas, graph.int64s([index]), graph.int64s([index + 1]), graph.int64s([2])]);
  const anchor = (index: number): string =>
    graph.floats(
      [1, count, 1],
      Float32Array.from({ length: count }, (_, i) => anchors[4 * i + index] ?? Number.NaN),
    );
  const half = graph.floats([], Float32Array.of(0.5));
  const edges = (offset: number, size: number): [string, string] => {
    const span = anchor(size);
    const centre = graph.node("Add", [graph.node("Mul", [column(offset), span]), anchor(offset)]);
    const extent = graph.node("Mul", [graph.node("Exp", [column(size)]), span]);
    const reach = graph.node("Mul", [extent, half]);
    return [graph.node("Sub", [centre, reach]), graph.node("Add", [centre, reach])];
  };
  const [y1, y2] = edges(0, 2);
  const [x1, x2] = edges(1, 3);
  graph.node("Concat", [x1, y1, x2, y2], { axis: 2 }, output);
}
