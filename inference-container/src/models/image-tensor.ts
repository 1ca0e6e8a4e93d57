/** Turns a picture into the input tensor of a vision graph. */
import type { Tensor } from "onnxruntime-node";
import sharp from "sharp";
import type { ImageInput } from "./manifest.ts";
import type { Picture } from "./model.ts";
import { tensorOf, type TensorForm } from "./tensors.ts";

export interface ImageTensor {
  /** [1, 3, height, width], or without the batch dimension if the graph has none. */
  readonly tensor: Tensor;
  /** Tensor pixels per picture pixel, by axis. */
  readonly scaleX: number;
  readonly scaleY: number;
}

const FLOAT_BATCH: TensorForm = { dtype: "float32", shape: [1, 3, "height", "width"] };

/**
 * Resizes by the manifest's `fit` and normalises: (byte − mean) / std, channels first; bars are black.
 * @param target the type of the graph's tensor, and whether it has a batch dimension
 */
export async function imageTensor(
  picture: Picture,
  input: ImageInput,
  target: TensorForm = FLOAT_BATCH,
): Promise<ImageTensor> {
  const { width, height } = fitted(picture, input);
  const rgb = await sharp(picture.rgb, {
    raw: { width: picture.width, height: picture.height, channels: 3 },
    limitInputPixels: false,
  })
    .resize(width, height, { fit: "fill", kernel: input.kernel })
    .raw()
    .toBuffer();
  const values = normalised(rgb, { width, height }, input);
  const batch = target.shape.length === 4 ? [1] : [];
  return {
    tensor: tensorOf(target.dtype, values, [...batch, 3, input.height, input.width]),
    scaleX: width / picture.width,
    scaleY: height / picture.height,
  };
}

/** Planes of the full input size: the picture in the top left corner, black elsewhere. */
function normalised(
  rgb: Uint8Array,
  { width, height }: { width: number; height: number },
  input: ImageInput,
): Float32Array {
  const plane = input.width * input.height;
  const values = new Float32Array(3 * plane);
  for (const [channel, mean] of input.mean.entries()) {
    const factor = 1 / (input.std[channel] ?? 1);
    const ofByte = Float32Array.from({ length: 256 }, (_, byte) => (byte - mean) * factor);
    const to = values.subarray(channel * plane, (channel + 1) * plane);
    if (width * height < plane) to.fill(ofByte[0] ?? 0);
    for (let y = 0; y < height; y += 1) {
      let from = 3 * y * width + channel;
      const end = y * input.width + width;
      for (let at = y * input.width; at < end; at += 1, from += 3) to[at] = ofByte[rgb[from] ?? 0] ?? 0;
    }
  }
  return values;
}

function fitted(picture: Picture, { fit, width, height }: ImageInput): { width: number; height: number } {
  if (fit === "stretch") return { width, height };
  const scale = Math.min(width / picture.width, height / picture.height);
  const side = (size: number, limit: number): number =>
    Math.min(limit, Math.max(1, Math.round(size * scale)));
  return { width: side(picture.width, width), height: side(picture.height, height) };
}
