/** The constants of a quantised TensorFlow Lite graph as floats in ONNX's layout. */
import type { TfliteTensor } from "./tflite.ts";

/** The values of a float constant. */
export function constantFloats(tensor: TfliteTensor): Float32Array<ArrayBuffer> {
  if (tensor.type !== "float32") throw new Error(`The constant ${tensor.name} should hold floats.`);
  return new Float32Array(tensor.data.buffer);
}

/** real = scale × (stored − zero point), per channel of the tensor's quantised axis if it has several scales. */
export function dequantised(tensor: TfliteTensor): Float32Array<ArrayBuffer> {
  const stored = storedIntegers(tensor);
  const inner = tensor.shape.slice(tensor.axis + 1).reduce((product, size) => product * size, 1);
  const channels = tensor.scales.length;
  return Float32Array.from(stored, (value, i) => {
    const channel = Math.floor(i / inner) % channels;
    return (tensor.scales[channel] ?? Number.NaN) * (value - (tensor.zeroPoints[channel] ?? 0));
  });
}

/**
 * A convolution's weights in ONNX's layout: [out, height, width, in] becomes [out, in, height, width]; a depthwise [1,
 * height, width, out] becomes [out, 1, height, width].
 */
export function kernel(
  tensor: TfliteTensor,
  depthwise: boolean,
): { shape: number[]; values: Float32Array<ArrayBuffer> } {
  const [first = 0, height = 0, width = 0, last = 0] = tensor.shape;
  const [outputs, inputs] = depthwise ? [last, 1] : [first, last];
  const values = dequantised(tensor);
  const area = height * width;
  const ordered = new Float32Array(values.length);
  for (let o = 0; o < outputs; o += 1)
    for (let i = 0; i < inputs; i += 1)
      for (let p = 0; p < area; p += 1) {
        const from = depthwise ? p * outputs + o : (o * area + p) * inputs + i;
        ordered[(o * inputs + i) * area + p] = values[from] ?? Number.NaN;
      }
  return { shape: [outputs, inputs, height, width], values: ordered };
}

function storedIntegers(tensor: TfliteTensor): Int8Array | Int32Array {
  if (tensor.scales.length === 0) throw new Error(`The constant ${tensor.name} has no quantisation.`);
  if (tensor.type === "int8") return new Int8Array(tensor.data.buffer);
  if (tensor.type === "int32") return new Int32Array(tensor.data.buffer);
  throw new Error(`The constant ${tensor.name} has element type ${tensor.type}, which can't be converted.`);
}
