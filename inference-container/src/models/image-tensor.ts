/** A picture as the input tensor of a vision graph. */
import type { Tensor } from "onnxruntime-node";
import sharp from "sharp";
import type { ImageInput } from "./manifest.ts";
import type { Picture } from "./model.ts";
import { tensorOf, type TensorForm } from "./tensors.ts";

export interface ImageTensor {
  /** [1, 3, height, width], or without the batch where the graph takes none. */
  readonly tensor: Tensor;
  /** Tensor pixels for each picture pixel, by axis. */
  readonly scaleX: number;
  readonly scaleY: number;
}

const FLOAT_BATCH: TensorForm = { dtype: "float32", shape: [1, 3, "height", "width"] };

/**
 * Resizes as the manifest's `fit` says and normalises: (byte − mean) / std, channels first; bars are black.
 * @param target the graph's tensor: its type, and whether it has a batch dimension
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
  const plane = input.width * input.height;
  const values = new Float32Array(3 * plane);
  for (const [channel, mean] of input.mean.entries()) {
    const factor = 1 / (input.std[channel] ?? 1);
    values.fill(-mean * factor, channel * plane, (channel + 1) * plane);
    for (let y = 0; y < height; y += 1) {
      const row = channel * plane + y * input.width;
      for (let x = 0; x < width; x += 1)
        values[row + x] = ((rgb[3 * (y * width + x) + channel] ?? 0) - mean) * factor;
    }
  }
  const batch = target.shape.length === 4 ? [1] : [];
  return {
    tensor: tensorOf(target.dtype, values, [...batch, 3, input.height, input.width]),
    scaleX: width / picture.width,
    scaleY: height / picture.height,
  };
}

function fitted(picture: Picture, { fit, width, height }: ImageInput): { width: number; height: number } {
  if (fit === "stretch") return { width, height };
  const scale = Math.min(width / picture.width, height / picture.height);
  const side = (size: number, limit: number): number =>
    Math.min(limit, Math.max(1, Math.round(size * scale)));
  return { width: side(picture.width, width), height: side(picture.height, height) };
}
