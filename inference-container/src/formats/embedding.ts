import { writeEmbedding } from "@segmentation/masks";
import { OUTPUTS } from "@segmentation/protocol";
import { writeOutput } from "../output-file.ts";
import type { FormatWriter, Subject } from "./format-writer.ts";

/** Writes a picture's embedding; its masks do not matter. @throws Error if the model has returned none */
export function openEmbedding({ folder, picture: { width, height }, embedding }: Subject): FormatWriter {
  if (embedding === undefined) throw new Error("The model returned no embedding.");
  return {
    add: async () => {},
    finish: async () => {
      const { buffer } = writeEmbedding({ ...embedding, width, height });
      return [await writeOutput(folder, OUTPUTS.image.embedding, Buffer.from(buffer))];
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
