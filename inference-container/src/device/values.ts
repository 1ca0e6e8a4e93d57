/// <reference lib="esnext.float16" />
/** Tensors as bytes, which threads transfer to each other without a copy. */
import { Tensor } from "../onnx/runtime.ts";
import { z } from "zod";

/** The supported element types of graphs' inputs and outputs, by ONNX Runtime's names. */
export const Dtype = z.enum(["float32", "float16", "int64", "int32", "uint8", "bool"]);
export type Dtype = z.infer<typeof Dtype>;

/** A tensor's values. Threads transfer or copy its bytes. */
export interface Values {
  readonly type: Dtype;
  readonly dims: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A tensor's values, which share its memory. @throws Error for an unsupported element type or shared memory */
export function toValues({ type, dims, data }: Tensor): Values {
  const known = Dtype.safeParse(type);
  if (!known.success || !ArrayBuffer.isView(data))
    throw new Error(`A tensor has the element type ${type}, which is not supported.`);
  const { buffer, byteOffset, byteLength } = data;
  if (!(buffer instanceof ArrayBuffer))
    throw new Error("A tensor's memory is shared with other threads, which is not supported.");
  return { type: known.data, dims, bytes: new Uint8Array(buffer, byteOffset, byteLength) };
}

/** A tensor of another thread's values, which shares their memory. */
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
 * The tensor with its 16-bit floats as bits. Where JavaScript has Float16Array, the data is one, and ONNX Runtime's
 * binding reads it as empty (microsoft/onnxruntime#32323).
 */
function withBits(tensor: Tensor): Tensor {
  const data: unknown = tensor.data;
  if (data instanceof Float16Array) {
    const value = new Uint16Array(data.buffer, data.byteOffset, data.length);
    Object.defineProperty(tensor, "data", { value });
  }
  return tensor;
}
