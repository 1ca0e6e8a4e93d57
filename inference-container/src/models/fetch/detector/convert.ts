/**
 * Converts the quantized EfficientDet-Lite detector from TensorFlow Lite to an ONNX graph in float arithmetic.
 *
 * Pictures, there [batch, height, width, channels], are [batch, channels, height, width] here.
 */
import {
  constantFloats,
  dequantised,
  kernel,
  readTflite,
  type TfliteGraph,
  type TfliteOperator,
  type TfliteTensor,
} from "./tflite.ts";
import { OnnxGraph } from "../../../onnx/graph-writer.ts";
import type { Table } from "./tflite-table.ts";

const SAME_PADDING = 0;
const TO_CHANNELS_LAST = [0, 2, 3, 1];

/**
 * The ONNX file of a `.tflite` detector that ends in TFLite_Detection_PostProcess.
 *
 * Input `image` f32 [1, 3, H, W], normalized as the file's first quantization says. Outputs `boxes` f32 [1, anchors,
 * 4], (x1, y1, x2, y2) in units of the input's side, and `scores` f32 [1, anchors, classes].
 * @throws Error naming an operator or option that can't be converted
 */
export function convertDetector(tflite: Uint8Array): Uint8Array {
  const source = readTflite(tflite);
  const translation = new Translation(source);
  for (const operator of source.operators) translation.add(operator);
  return translation.graph.file("detector");
}

class Translation {
  readonly graph = new OnnxGraph();
  readonly #source: TfliteGraph;
  readonly #values = new Map<number, string>();

  constructor(source: TfliteGraph) {
    this.#source = source;
    const input = source.inputs[0] ?? -1;
    const [, height = 0, width = 0, channels = 0] = this.#tensor(input).shape;
    this.#values.set(input, this.graph.input("image", [1, channels, height, width]));
  }

  add(operator: TfliteOperator): void {
    const [output = -1] = operator.outputs;
    if (operator.kind === "TFLite_Detection_PostProcess") this.#finish(operator);
    else this.#values.set(output, this.#translate(operator, this.#tensor(output)));
  }

  #translate(operator: TfliteOperator, output: TfliteTensor): string {
    const { kind, options } = operator;
    const [first = -1, second = -1] = operator.inputs;
    switch (kind) {
      case "QUANTIZE":
      case "DEQUANTIZE":
        return this.#value(first);
      case "CONV_2D":
        return this.#activated(this.#convolution(operator, 1, [4, 5]), options?.int8(3));
      case "DEPTHWISE_CONV_2D":
        return this.#activated(
          this.#convolution(operator, this.#tensor(first).shape[3] ?? 0, [5, 6]),
          options?.int8(4),
        );
      case "ADD":
        return this.#activated(
          this.graph.node("Add", [this.#value(first), this.#value(second)]),
          options?.int8(0),
        );
      case "MAX_POOL_2D":
        return this.#activated(this.#maxPool(operator), options?.int8(5));
      case "RESIZE_NEAREST_NEIGHBOR":
        return this.#resize(operator, output);
      case "RESHAPE":
        return this.graph.node("Reshape", [this.#channelsLast(first), this.graph.int64s(output.shape)]);
      case "CONCATENATION":
        return this.#concatenation(operator, output);
      case "LOGISTIC":
        return this.graph.node("Sigmoid", [this.#value(first)]);
      default:
        throw new Error(`The detector's operator ${kind} can't be converted.`);
    }
  }

  #convolution(
    operator: TfliteOperator,
    group: number,
    [dilationW, dilationH]: readonly [number, number],
  ): string {
    const [input = -1, weights = -1, bias = -1] = operator.inputs;
    const { options } = operator;
    if (options?.int32(dilationW, 1) !== 1 || options.int32(dilationH, 1) !== 1)
      throw new Error("The detector has a dilated convolution, which can't be converted.");
    const filter = this.#tensor(weights);
    const [, filterHeight = 0, filterWidth = 0] = filter.shape;
    const { shape, values } = kernel(filter, group > 1);
    const inputs = [this.#value(input), this.graph.floats(shape, values)];
    if (bias >= 0) {
      const offsets = this.#tensor(bias);
      inputs.push(this.graph.floats(offsets.shape, dequantised(offsets)));
    }
    return this.graph.node("Conv", inputs, {
      ...this.#window(this.#tensor(input), options, filterHeight, filterWidth),
      group,
    });
  }

  #maxPool({ inputs: [input = -1], options }: TfliteOperator): string {
    const window = this.#window(this.#tensor(input), options, options?.int32(4) ?? 0, options?.int32(3) ?? 0);
    return this.graph.node("MaxPool", [this.#value(input)], window);
  }

  /** Strides, kernel and explicit padding: "same" padding puts the odd pixel at the far end. */
  #window(input: TfliteTensor, options: Table | undefined, kernelHeight: number, kernelWidth: number) {
    const [, height = 0, width = 0] = input.shape;
    const strideWidth = options?.int32(1) ?? 1;
    const strideHeight = options?.int32(2) ?? 1;
    const same = (options?.int8(0) ?? SAME_PADDING) === SAME_PADDING;
    const [top, bottom] = same ? samePads(height, kernelHeight, strideHeight) : [0, 0];
    const [left, right] = same ? samePads(width, kernelWidth, strideWidth) : [0, 0];
    return {
      kernel_shape: [kernelHeight, kernelWidth],
      strides: [strideHeight, strideWidth],
      pads: [top, left, bottom, right],
    };
  }

  #resize({ inputs: [input = -1], options }: TfliteOperator, output: TfliteTensor): string {
    if (options !== undefined && (options.int8(0) !== 0 || options.int8(1) !== 0))
      throw new Error("The detector resizes with aligned corners or half pixels, which can't be converted.");
    const [, height = 0, width = 0, channels = 0] = output.shape;
    const sizes = this.graph.int64s([1, channels, height, width]);
    return this.graph.node("Resize", [this.#value(input), "", "", sizes], {
      mode: "nearest",
      coordinate_transformation_mode: "asymmetric",
      nearest_mode: "floor",
    });
  }

  #concatenation({ inputs, options }: TfliteOperator, output: TfliteTensor): string {
    if (output.shape.length === 4)
      throw new Error("The detector concatenates pictures, which can't be converted.");
    const axis = options?.int32(0) ?? 0;
    return this.graph.node(
      "Concat",
      inputs.map((input) => this.#value(input)),
      { axis },
    );
  }

  /** The fused activation of an operator, by the schema's ActivationFunctionType. */
  #activated(value: string, activation = 0): string {
    switch (activation) {
      case 0:
        return value;
      case 1:
        return this.graph.node("Relu", [value]);
      case 3:
        return this.graph.node("Clip", [
          value,
          this.graph.floats([], Float32Array.of(0)),
          this.graph.floats([], Float32Array.of(6)),
        ]);
      default:
        throw new Error(`The detector's activation function ${activation} can't be converted.`);
    }
  }

  #channelsLast(index: number): string {
    const value = this.#value(index);
    return this.#tensor(index).shape.length === 4
      ? this.graph.node("Transpose", [value], { perm: TO_CHANNELS_LAST })
      : value;
  }

  /** The post-processing operator's inputs are the box deltas, the class scores and the constant anchors. */
  #finish({ inputs: [deltas = -1, scores = -1, anchors = -1] }: TfliteOperator): void {
    const count = this.#tensor(anchors).shape[0] ?? 0;
    const classes = this.#tensor(scores).shape[2] ?? 0;
    const boxDeltas = this.#value(deltas);
    decodeBoxes(this.graph, { deltas: boxDeltas, anchors: constantFloats(this.#tensor(anchors)), count });
    this.graph.node("Identity", [this.#value(scores)], {}, "scores");
    this.graph.output("boxes", [1, count, 4]);
    this.graph.output("scores", [1, count, classes]);
  }

  #tensor(index: number): TfliteTensor {
    const tensor = this.#source.tensors[index];
    if (tensor === undefined)
      throw new Error(`The detector refers to tensor ${index}, which does not exist.`);
    return tensor;
  }

  #value(index: number): string {
    const value = this.#values.get(index);
    if (value === undefined)
      throw new Error(`The detector uses tensor ${this.#tensor(index).name} before computing it.`);
    return value;
  }
}

function samePads(size: number, window: number, stride: number): [number, number] {
  const total = Math.max((Math.ceil(size / stride) - 1) * stride + window - size, 0);
  const before = Math.floor(total / 2);
  return [before, total - before];
}

interface BoxTensors {
  /** The name of an f32 value [1, count, 4]: (dy, dx, dh, dw). */
  readonly deltas: string;
  /** `count` anchors (cy, cx, h, w) in units of the input's side. */
  readonly anchors: Float32Array<ArrayBuffer>;
  readonly count: number;
}

/**
 * Adds the decoding of an SSD box coder with unit scales, as TFLite_Detection_PostProcess does it:
 * cy = dy·h + y, cx = dx·w + x, h' = exp(dh)·h, w' = exp(dw)·w.
 * The output `boxes` is f32 [1, count, 4] with (x1, y1, x2, y2).
 */
export function decodeBoxes(graph: OnnxGraph, { deltas, anchors, count }: BoxTensors): void {
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
  graph.node("Concat", [x1, y1, x2, y2], { axis: 2 }, "boxes");
}
