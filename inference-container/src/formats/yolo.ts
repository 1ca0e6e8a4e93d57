import { join } from "node:path";
import { yoloLines } from "@segmentation/masks";
import { OUTPUTS } from "@segmentation/protocol";
import { TextFile } from "../text-file.ts";
import type { FormatWriter, Subject } from "./format-writer.ts";
import { formatsTooLarge, MOST_TEXT_BYTES } from "./limits.ts";

const { name, contentType } = OUTPUTS.image.yolo;

/** Writes a picture's masks as labels for YOLO. */
export async function openYolo({ folder }: Subject, mostBytes = MOST_TEXT_BYTES): Promise<FormatWriter> {
  const path = join(folder, name);
  const file = await TextFile.open(path, "", mostBytes, () => formatsTooLarge("YOLO labels", mostBytes));
  let isEmpty = true;
  return {
    add: async ({ categoryId, runs }) => {
      for (const line of yoloLines(runs, categoryId - 1)) await file.write(line);
      isEmpty = false;
    },
    // Storage takes no empty file. YOLO reads one with an empty line as a picture without objects, too.
    finish: async () => [{ name, contentType, path, ...(await file.finish(isEmpty ? "\n" : "")) }],
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
