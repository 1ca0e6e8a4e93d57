/// <reference lib="esnext.float16" />
/** Tensors of the element types that exports use; half precision is read and written as float32. */
import { Tensor } from "../onnx/runtime.ts";
import type { Dtype } from "../device/values.ts";

/** A tensor's element type and dimensions, as in a manifest; a dimension of any size has a name. */
export interface TensorForm {
  readonly dtype: Dtype;
  readonly shape: readonly (number | string)[];
}

/** A tensor of `values`, converted to the element type: 16-bit floats are rounded, a bool is true if its value isn't 0. */
export function tensorOf(
  dtype: Dtype,
  values: Float32Array | readonly number[],
  dims: readonly number[],
): Tensor {
  switch (dtype) {
    case "float32":
      return new Tensor(dtype, values instanceof Float32Array ? values : new Float32Array(values), dims);
    case "float16":
      return new Tensor(dtype, new Uint16Array(new Float16Array(values).buffer), dims);
    case "int64":
      return new Tensor(dtype, BigInt64Array.from(values, BigInt), dims);
    case "int32":
      return new Tensor(dtype, new Int32Array(values), dims);
    case "uint8":
      return new Tensor(dtype, new Uint8Array(values), dims);
    case "bool":
      return new Tensor(
        dtype,
        Uint8Array.from(values, (value) => (value === 0 ? 0 : 1)),
        dims,
      );
  }
}

/** A tensor of the given shape with one value throughout; a named dimension has size 1. */
export function filledTensor({ dtype, shape }: TensorForm, value: number): Tensor {
  const dims = shape.map((size) => (typeof size === "number" ? size : 1));
  const count = dims.reduce((product, size) => product * size, 1);
  return tensorOf(dtype, new Float32Array(count).fill(value), dims);
}

/** A float tensor's values from index `from` up to `to`; undefined if it holds no floats. */
export function floatValues(tensor: Tensor | undefined, from = 0, to?: number): Float32Array | undefined {
  const data: unknown = tensor?.data;
  if (data instanceof Float32Array) return from === 0 && to === undefined ? data : data.subarray(from, to);
  if (tensor?.type !== "float16") return undefined;
  // ONNX Runtime gives the bits or, if JavaScript has the type, the numbers.
  if (data instanceof Float16Array) return new Float32Array(data.subarray(from, to));
  if (!(data instanceof Uint16Array)) return undefined;
  const halves = new Float16Array(data.buffer, data.byteOffset, data.length);
  return new Float32Array(halves.subarray(from, to));
}
