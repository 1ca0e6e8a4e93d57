/** Turns a picture into the input tensor of a vision graph. */
import type { Size } from "@segmentation/masks";
import { Tensor } from "../onnx/runtime.ts";
import type { Dtype } from "../device/values.ts";
import sharp from "sharp";
import { freeBuffer } from "../free-buffer.ts";
import type { ImageInput } from "./manifest.ts";
import type { Picture } from "./model.ts";
import { interpolate, resize, resizeSquare } from "./resampling.ts";
import { tensorOf } from "./tensors.ts";

/** A part of a picture, in its pixels, which may be mirrored. */
export interface View extends Size {
  readonly x: number;
  readonly y: number;
  readonly mirrored: boolean;
}

/** Three values of 0 to 255 per pixel, row by row. */
type Samples = Uint8Array | Uint8ClampedArray | Float32Array;

export interface ImageTensor {
  /** [1, 3, height, width] */
  readonly tensor: Tensor;
  /** Tensor pixels per picture pixel, by axis. */
  readonly scaleX: number;
  readonly scaleY: number;
}

/** The view of a whole picture. */
export function wholeView({ width, height }: Size): View {
  return { x: 0, y: 0, width, height, mirrored: false };
}

/**
 * Resizes by the manifest's `fit` and normalizes: (byte − mean) / std, channels first; bars have the manifest's
 * `padding`.
 * @param dtype the type of the graph's tensor
 * @param view the part of the picture
 */
export async function imageTensor(
  picture: Picture,
  input: ImageInput,
  dtype: Dtype = "float32",
  view: View = wholeView(picture),
): Promise<ImageTensor> {
  const size = fitted(view, input);
  const rgb = await resized(picture, view, size, input);
  const values = normalised(view.mirrored ? mirrored(rgb, size) : rgb, size, input);
  if (rgb !== picture.rgb) freeBuffer(rgb.buffer);
  const extent = extentOf(view, input);
  return {
    tensor: tensorOf(dtype, values, [1, 3, input.height, input.width]),
    scaleX: input.width / extent.width,
    scaleY: input.height / extent.height,
  };
}

/**
 * Stretches a picture to the size of a graph that normalizes bytes itself.
 * @returns [1, height, width, 3], in memory that nothing else uses
 */
export async function byteTensor(picture: Picture, { width, height, ...input }: ImageInput): Promise<Tensor> {
  const rgb = await resized(picture, wholeView(picture), { width, height }, { ...input, fit: "stretch" });
  // A copy: libvips' memory can't be transferred to another thread.
  const bytes = new Uint8Array(rgb);
  if (rgb !== picture.rgb) freeBuffer(rgb.buffer);
  return new Tensor("uint8", bytes, [1, height, width, 3]);
}

/** The size of the input in the pixels of the view, with any bars to the right and below. */
export function extentOf(view: Size, input: ImageInput): Size {
  if (input.fit === "square") {
    const side = Math.max(view.width, view.height);
    return { width: side, height: side };
  }
  const { width, height } = fitted(view, input);
  return { width: (view.width * input.width) / width, height: (view.height * input.height) / height };
}

/**
 * Resizes by the manifest's filter. libvips shrinks sides, off the engine's main thread; its bytes differ from PIL's
 * and torchvision's by a few at sharp edges. This module enlarges sides itself, because libvips would place the pixels
 * differently.
 */
async function resized(
  { width, height, rgb }: Picture,
  view: View,
  to: Size,
  { fit, kernel }: Pick<ImageInput, "fit" | "kernel">,
): Promise<Samples> {
  const isWhole = fit === "square" || kernel === "unfiltered";
  const shrunk = isWhole
    ? view
    : { width: Math.min(view.width, to.width), height: Math.min(view.height, to.height) };
  const untouched = shrunk.width === width && shrunk.height === height;
  const pixels = untouched
    ? rgb
    : await sharp(rgb, { raw: { width, height, channels: 3 }, limitInputPixels: false })
        .extract({ left: view.x, top: view.y, width: view.width, height: view.height })
        .resize(shrunk.width, shrunk.height, { fit: "fill", ...(kernel !== "unfiltered" && { kernel }) })
        .raw()
        .toBuffer();
  if (fit === "square") return resizeSquare(pixels, shrunk, to.width);
  if (kernel === "unfiltered") return interpolate(pixels, shrunk, to);
  return resize(pixels, shrunk, to, kernel === "cubic" ? kernel : "linear");
}

/** The pixels of each row from right to left. */
function mirrored(rgb: Samples, { width, height }: Size): Samples {
  const turned = new (rgb instanceof Float32Array ? Float32Array : Uint8Array)(3 * width * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [from, to] = [3 * (y * width + x), 3 * (y * width + width - 1 - x)];
      for (let channel = 0; channel < 3; channel += 1) turned[to + channel] = rgb[from + channel] ?? 0;
    }
  return turned;
}

/** Planes of the full input size: the picture in the top left corner, padding elsewhere. */
function normalised(rgb: Samples, { width, height }: Size, input: ImageInput): Float32Array {
  const plane = input.width * input.height;
  const values = new Float32Array(3 * plane);
  for (const [channel, mean] of input.mean.entries()) {
    const factor = 1 / (input.std[channel] ?? 1);
    const to = values.subarray(channel * plane, (channel + 1) * plane);
    if (width * height < plane) to.fill((input.padding - mean) * factor);
    for (let y = 0; y < height; y += 1) {
      let from = 3 * y * width + channel;
      const end = y * input.width + width;
      for (let at = y * input.width; at < end; at += 1, from += 3)
        to[at] = ((rgb[from] ?? 0) - mean) * factor;
    }
  }
  return values;
}

function fitted(view: Size, { fit, width, height }: ImageInput): Size {
  if (fit !== "letterbox") return { width, height };
  const scale = Math.min(width / view.width, height / view.height);
  const side = (size: number, limit: number): number =>
    Math.min(limit, Math.max(1, Math.round(size * scale)));
  return { width: side(view.width, width), height: side(view.height, height) };
}
