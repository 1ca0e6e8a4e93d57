import { LabelMap } from "@segmentation/masks";
import { OUTPUTS } from "@segmentation/protocol";
import sharp from "sharp";
import { writeOutput } from "../output-file.ts";
import type { FormatWriter, Subject } from "./format-writer.ts";

/** Writes a picture's masks as one picture of their labels: a mask's index + 1, and 0 where there is none. */
export function openLabelmap({ folder, picture: { width, height } }: Subject): FormatWriter {
  const map = new LabelMap({ width, height });
  return {
    add: async ({ maskIndex, score, runs }) => map.add(runs, maskIndex + 1, score),
    finish: async () => {
      const { labels } = map;
      const png = await sharp(labels, { raw: { width, height, channels: 1 } })
        .toColourspace(labels instanceof Uint8Array ? "b-w" : "grey16")
        .png()
        .toBuffer();
      return [await writeOutput(folder, OUTPUTS.image.labelmap, png)];
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
