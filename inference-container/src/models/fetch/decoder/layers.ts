/** The layers of which SAM 2's decoder consists, as nodes of an ONNX graph. */
import { type Attribute, OnnxGraph } from "../../../onnx/graph-writer.ts";
import { permuted, reshaped, scaled, type Weight, type Weights } from "./weights.ts";

/** A value of the graph, by its name. */
type Value = string;

/** Attention has eight heads everywhere. */
export const HEADS = 8;
/** The width of tokens and cells. */
export const WIDTH = 256;

export class Layers {
  /** With the operators LayerNormalization and Gelu. */
  readonly graph = new OnnxGraph(20);
  readonly weights: Weights;

  constructor(weights: Weights) {
    this.weights = weights;
  }

  op(
    operator: string,
    inputs: readonly Value[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): Value {
    return this.graph.node(operator, inputs, attributes);
  }

  constant({ shape, values }: Weight): Value {
    return this.graph.floats(shape, values);
  }

  weight(name: string): Value {
    return this.constant(this.weights.get(name));
  }

  number(value: number): Value {
    return this.graph.floats([], Float32Array.of(value));
  }

  add(a: Value, b: Value): Value {
    return this.op("Add", [a, b]);
  }

  multiply(a: Value, b: Value): Value {
    return this.op("MatMul", [a, b]);
  }

  /** @param sizes 0 keeps the size, -1 infers it */
  reshape(value: Value, ...sizes: number[]): Value {
    return this.op("Reshape", [value, this.graph.int64s(sizes)]);
  }

  transpose(value: Value, ...axes: number[]): Value {
    return this.op("Transpose", [value], { perm: axes });
  }

  /** Slices the second axis. */
  slice(value: Value, from: number, to: number): Value {
    return this.op("Slice", [value, ...[from, to, 1].map((one) => this.graph.int64s([one]))]);
  }

  softmax(value: Value): Value {
    return this.op("Softmax", [value], { axis: -1 });
  }

  /** @param scale multiplies the result */
  linear(value: Value, name: string, scale = 1): Value {
    const [weight, bias] = [this.weights.get(`${name}.weight`), this.weights.get(`${name}.bias`)];
    return this.add(
      this.multiply(value, this.constant(scaled(weight, scale))),
      this.constant(scaled(bias, scale)),
    );
  }

  /** Normalization over the last axis. @param epsilon that of PyTorch's LayerNorm, unless it is a LayerNorm2d */
  normalize(value: Value, weight: string, bias: string, epsilon = 1e-5): Value {
    const factors = [weight, bias].map((name) => {
      const { values } = this.weights.get(name);
      return this.constant({ shape: [values.length], values });
    });
    return this.op("LayerNormalization", [value, ...factors], { axis: -1, epsilon: { float: epsilon } });
  }

  norm(value: Value, name: string): Value {
    return this.normalize(value, `${name}.weight`, `${name}.bias`);
  }

  /** [regions, n, width] as [regions, heads, n, width / heads]. */
  heads(value: Value): Value {
    return this.transpose(this.reshape(value, 0, 0, HEADS, -1), 0, 2, 1, 3);
  }

  /** The reverse of `heads`. */
  joined(value: Value, width: number): Value {
    return this.reshape(this.transpose(value, 0, 2, 1, 3), 0, -1, width);
  }
}

/** Of a projection inputs × (heads × width), the matrix of each head: [heads, width, inputs]. */
export function byHead(weight: Weight): Weight {
  const [inputs = 0, outputs = 0] = weight.shape;
  return reshaped(permuted(weight, 1, 0), HEADS, outputs / HEADS, inputs);
}
