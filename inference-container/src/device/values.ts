/// <reference lib="esnext.float16" />
/** Tensors as bytes, which threads move to each other without a copy. */
import { Tensor } from "onnxruntime-node";
import { z } from "zod";

/** The element types that graphs here take and give, by ONNX Runtime's names. */
export const Dtype = z.enum(["float32", "float16", "int64", "int32", "uint8", "bool"]);
export type Dtype = z.infer<typeof Dtype>;

/** A tensor's values: its bytes are moved or copied from thread to thread. */
export interface Values {
  readonly type: Dtype;
  readonly dims: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The values of a tensor as they go to another thread: its own bytes, not a copy. @throws Error for a type that graphs here don't have */
export function toValues({ type, dims, data }: Tensor): Values {
  const known = Dtype.safeParse(type);
  if (!known.success || !ArrayBuffer.isView(data))
    throw new Error(`A tensor is ${type}, which is not supported.`);
  const { buffer, byteOffset, byteLength } = data;
  if (!(buffer instanceof ArrayBuffer)) throw new Error("A tensor's memory is shared with other threads.");
  return { type: known.data, dims, bytes: new Uint8Array(buffer, byteOffset, byteLength) };
}

/** The tensor of values that came from another thread: on their bytes, not on a copy. */
export function fromValues({ type, dims, bytes: { buffer, byteOffset, byteLength } }: Values): Tensor {
  switch (type) {
    case "float32":
      return new Tensor(type, new Float32Array(buffer, byteOffset, byteLength / 4), dims);
    case "float16":
      return withBits(new Tensor(type, new Uint16Array(buffer, byteOffset, byteLength / 2), dims));
    case "int64":
      return new Tensor(type, new BigInt64Array(buffer, byteOffset, byteLength / 8), dims);
    case "int32":
      return new Tensor(type, new Int32Array(buffer, byteOffset, byteLength / 4), dims);
    case "uint8":
    case "bool":
      return new Tensor(type, new Uint8Array(buffer, byteOffset, byteLength), dims);
  }
}

/**
 * The tensor with its 16-bit floats as bits: ONNX Runtime's binding finds a Float16Array empty, and its tensors hold
 * one wherever JavaScript has the type (microsoft/onnxruntime#32323).
 */
function withBits(tensor: Tensor): Tensor {
  const data: unknown = tensor.data;
  if (data instanceof Float16Array) {
    const value = new Uint16Array(data.buffer, data.byteOffset, data.length);
    Object.defineProperty(tensor, "data", { value });
  }
  return tensor;
}
