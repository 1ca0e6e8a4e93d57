import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Bounds, boundsOf, type RowRuns } from "@segmentation/masks";
import { fill, OUTPUTS } from "@segmentation/protocol";
import sharp from "sharp";
import type { WrittenFile } from "../messages.ts";
import { writeOutput } from "../output-file.ts";
import type { Picture } from "../models/model.ts";
import type { FormatWriter, Subject } from "./format-writer.ts";
import { formatsTooLarge, MOST_CUTOUT_BYTES } from "./limits.ts";

/** Writes each mask's part of the picture as a separate picture. */
export async function openCutouts(
  { folder, picture }: Subject,
  mostBytes = MOST_CUTOUT_BYTES,
): Promise<FormatWriter> {
  await mkdir(join(folder, dirname(OUTPUTS.image.cutout.name)), { recursive: true });
  const files: WrittenFile[] = [];
  let bytes = 0;
  return {
    add: async ({ maskIndex, runs }) => {
      const bounds = boundsOf(runs);
      bytes += (bounds.right - bounds.left) * (bounds.bottom - bounds.top) * CHANNELS;
      if (bytes > mostBytes) throw formatsTooLarge("cut-outs", mostBytes);
      const name = fill(OUTPUTS.image.cutout.name, { index: maskIndex });
      files.push(
        await writeOutput(folder, { ...OUTPUTS.image.cutout, name }, await cutOut(picture, runs, bounds)),
      );
    },
    finish: async () => files,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Red, green, blue and opacity. */
const CHANNELS = 4;

/** The pixels of a mask as a PNG of its bounds. All other pixels are transparent, without any color of the picture. */
async function cutOut({ width, rgb }: Picture, runs: RowRuns, bounds: Bounds): Promise<Buffer> {
  const size = { width: bounds.right - bounds.left, height: bounds.bottom - bounds.top };
  const rgba = Buffer.alloc(size.width * size.height * CHANNELS);
  for (let y = bounds.top; y < bounds.bottom; y++) {
    const end = runs.starts[y + 1] ?? 0;
    for (let run = runs.starts[y] ?? 0; run < end; run += 2) {
      const from = runs.edges[run] ?? 0;
      const to = runs.edges[run + 1] ?? 0;
      let at = ((y - bounds.top) * size.width + from - bounds.left) * CHANNELS;
      for (let pixel = (y * width + from) * 3; pixel < (y * width + to) * 3; pixel += 3) {
        rgba[at++] = rgb[pixel] ?? 0;
        rgba[at++] = rgb[pixel + 1] ?? 0;
        rgba[at++] = rgb[pixel + 2] ?? 0;
        rgba[at++] = 255;
      }
    }
  }
  return sharp(rgba, { raw: { ...size, channels: CHANNELS } })
    .png()
    .toBuffer();
}
