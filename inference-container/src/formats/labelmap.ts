import { OUTPUTS } from "@segmentation/protocol";
import sharp from "sharp";
import { writeOutput } from "../output-file.ts";
import type { FormatWriter, FoundMask, Subject } from "./format-writer.ts";

/** The most labels that a byte per pixel can distinguish. */
const MOST_IN_BYTES = 255;

/** Writes a picture's masks as one picture of their labels: a mask's index + 1, and 0 where there is none. */
export function openLabelmap({ folder, picture: { width, height } }: Subject): FormatWriter {
  const scores: number[] = [];
  let labels: Uint8Array | Uint16Array = new Uint8Array(width * height);
  return {
    add: async ({ maskIndex, score, runs }) => {
      const label = maskIndex + 1;
      if (label > MOST_IN_BYTES && labels instanceof Uint8Array) labels = Uint16Array.from(labels);
      scores[label] = score;
      paint(labels, runs, label, scores);
    },
    finish: async () => {
      const png = await sharp(labels, { raw: { width, height, channels: 1 } })
        .toColourspace(labels instanceof Uint8Array ? "b-w" : "grey16")
        .png()
        .toBuffer();
      return [await writeOutput(folder, OUTPUTS.image.labelmap, png)];
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Sets a mask's pixels to its label, except where one that is at least as confident stands already. */
function paint(
  labels: Uint8Array | Uint16Array,
  { width, height, starts, edges }: FoundMask["runs"],
  label: number,
  scores: readonly number[],
): void {
  const score = scores[label] ?? 0;
  for (let y = 0; y < height; y++) {
    const end = starts[y + 1] ?? 0;
    for (let run = starts[y] ?? 0; run < end; run += 2) {
      const to = y * width + (edges[run + 1] ?? 0);
      for (let at = y * width + (edges[run] ?? 0); at < to; at++) {
        const there = labels[at] ?? 0;
        if (there === 0 || (scores[there] ?? 0) < score) labels[at] = label;
      }
    }
  }
}
