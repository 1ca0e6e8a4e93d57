/** Divides an export of OWL-ViT or OWLv2, which is one graph, into the adapter's parts. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import { cutPart, type Part } from "../../onnx/graph-parts.ts";
import type { GraphNames } from "../describe-folder.ts";
import { ModelFolderError } from "../errors.ts";

/**
 * The parts by their files. In the whole graph the prompts' embeddings depend on the picture input, but only on the
 * number of pictures.
 */
const PARTS: Readonly<Record<string, Part>> = {
  "image-encoder.onnx": { inputs: ["pixel_values"], outputs: ["image_embeds", "pred_boxes"] },
  "text-encoder.onnx": {
    inputs: ["input_ids", "attention_mask"],
    outputs: ["text_embeds"],
    counted: "image_embeds",
  },
  "head.onnx": { inputs: ["image_embeds", "text_embeds", "input_ids"], outputs: ["logits"] },
};

export const isPartOfOwlvit = (file: string): boolean => Object.hasOwn(PARTS, file);

/** True if a graph has the tensors of a whole export. */
export function isWholeOwlvit({ inputs, outputs }: GraphNames): boolean {
  const taken = ["input_ids", "pixel_values", "attention_mask"];
  const given = ["logits", "pred_boxes", "text_embeds", "image_embeds"];
  return (
    inputs.length === taken.length &&
    taken.every((name) => inputs.includes(name)) &&
    given.every((name) => outputs.includes(name))
  );
}

/**
 * Writes the parts of a whole export into its folder. They have its nodes and read their weights from its file, which
 * must keep its name and its bytes. The same file gives the same parts.
 * @throws ModelFolderError if the export cannot be divided
 */
export async function divideOwlvit(folder: string, file: string): Promise<void> {
  const whole = await readFile(join(folder, file));
  for (const [name, part] of Object.entries(PARTS)) {
    try {
      await writeFile(join(folder, name), cutPart(whole, file, part));
    } catch (error) {
      throw new ModelFolderError(`${file} in ${folder} cannot be divided into parts: ${messageOf(error)}`);
    }
  }
}
