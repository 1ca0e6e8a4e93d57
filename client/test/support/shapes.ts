import type { Bitmap } from "segmentation-client";
import { encodeMaskPng } from "../../../inference-container/src/masks/write-mask-png.ts";
import { RunList } from "@segmentation/masks";

/** The mask file that the inference service writes of these pixels. */
export function maskFile(
  { width, height, data }: Bitmap,
  text: string,
  keyword: "prompt" | "region" = "prompt",
  label?: string,
): Uint8Array<ArrayBuffer> {
  const runs = new RunList(height);
  for (let y = 0; y < height; y++) {
    runs.startRow(y, width);
    for (let x = 0; x < width; x++) if (data[y * width + x]) runs.add(x, x + 1);
  }
  return new Uint8Array(encodeMaskPng(runs.finish(width, height), { keyword, text, label }));
}

/** A mask with the pixels for which `isInside` is true. */
export function draw(width: number, height: number, isInside: (x: number, y: number) => boolean): Bitmap {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) if (isInside(x + 0.5, y + 0.5)) data[y * width + x] = 255;
  return { width, height, data };
}

/** An ellipse with a hole: the first number decides its picture's size and its place, both numbers decide its size. */
export function ring(number: number, index = 0): Bitmap {
  const [width, height] = [40 + (number % 23), 30 + (number % 17)];
  const [x0, y0] = [width / 2 + (number % 5), height / 2 - (number % 3)];
  const radius = 8 + ((number + index) % 7);
  return draw(width, height, (x, y) => {
    const distance = Math.hypot((x - x0) / 1.2, y - y0);
    return distance < radius && distance > radius / 3;
  });
}
