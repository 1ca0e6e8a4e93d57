/** A graph with the tensors of a real export, which a test may change. */
import type { Dtype } from "../../../src/device/values.ts";
import type { TensorForm } from "../../../src/models/tensors.ts";
import { TestGraph } from "../../support/device/onnx.ts";

/** The largest features' side; token ids per row. */
export const [SIDE, TOKENS] = [288, 32];
/** A value that only the encoders give as position. */
export const POSITION = 7;

export interface Changes {
  /** Channels of features: 256 in the exports; a few are enough here, and faster. */
  readonly channels?: number;
  /** Objects that the decoder gives: 200 in the exports. */
  readonly queries?: number;
  /** Other names for tensors. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Other element types for tensors. */
  readonly retyped?: Readonly<Record<string, Dtype>>;
  /** An output to leave out. */
  readonly without?: string;
  /** The type of all float tensors. */
  readonly floats?: "float16";
  /** True if the text encoder treats padding like other tokens. */
  readonly maskless?: boolean;
  /** A file of one float, 1, that the decoder reads as a weight. */
  readonly sidecar?: string;
}

/** A graph whose tensors a test may change; it computes in float32 for every input type. */
export class FixtureGraph extends TestGraph {
  readonly changes: Changes;
  readonly channels: number;

  constructor(changes: Changes) {
    super();
    this.changes = changes;
    this.channels = changes.channels ?? 256;
  }

  /** An input as floats. */
  taken(name: string, form: TensorForm): string {
    const found = this.changes.renamed?.[name] ?? name;
    return this.cast(this.input(found, { ...form, dtype: this.#dtype(name, form) }), "float32");
  }

  given(value: string, name: string, form: TensorForm): void {
    if (this.changes.without === name) return;
    const found = this.changes.renamed?.[name] ?? name;
    const dtype = this.#dtype(name, form);
    this.cast(value, dtype, found);
    this.output(found, { ...form, dtype });
  }

  /** Appends zeros, or another value, along one axis. */
  padded(value: string, rank: number, axis: number, by: number, fill = 0): string {
    const pads = Array.from({ length: 2 * rank }, (_, i) => (i === rank + axis ? by : 0));
    return this.node("Pad", [value, this.int64s(pads), this.floats([fill], [])]);
  }

  reshaped(value: string, shape: readonly number[]): string {
    return this.node("Reshape", [value, this.int64s(shape)]);
  }

  #dtype(name: string, { dtype }: TensorForm): Dtype {
    return this.changes.retyped?.[name] ?? (dtype === "float32" ? (this.changes.floats ?? dtype) : dtype);
  }
}

export const float = (...shape: (number | string)[]): TensorForm => ({ dtype: "float32", shape });
export const int64 = (...shape: (number | string)[]): TensorForm => ({ dtype: "int64", shape });
export const bool = (...shape: (number | string)[]): TensorForm => ({ dtype: "bool", shape });
/** The sides of the image features' levels. */
export const pyramid = [SIDE, SIDE / 2, SIDE / 4];
