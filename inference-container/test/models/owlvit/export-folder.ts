/** Folders with a whole export of OWL-ViT or OWLv2, the SAM 2 of the embedded model, and a tokenizer that knows the reference's prompts. */
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeExport } from "../../../../scripts/models/describe.ts";
import { fixtures } from "../../reference/figures.ts";

const GOLDEN = new URL("../../../models/builtin/golden.jpg", import.meta.url);

/** The seeded model of the reference. */
export const seededExport = (kind: "owlvit" | "owlv2"): Promise<Uint8Array> =>
  readFile(join(fixtures(kind), "model.onnx"));

/**
 * Fills a folder, and has `describe` write its manifest and the parts.
 * @param builtin the embedded model's folder
 * @param change changes the manifest
 */
export async function exportFolder(
  folder: string,
  builtin: string,
  whole: Uint8Array,
  change: (manifest: Record<string, unknown>) => object = (manifest) => manifest,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "whole.onnx"), whole);
  await copyFile(join(fixtures("owlvit"), "tokenizer.json"), join(folder, "tokenizer.json"));
  await copyFile(GOLDEN, join(folder, "golden.jpg"));
  await writeFile(join(folder, "LICENSE-owlvit"), "A licence.");
  for (const name of ["sam2-encoder.onnx", "sam2-decoder.onnx", "LICENSE-plugin-segment-anything"])
    await symlink(join(builtin, name), join(folder, name));
  const { manifest } = await describeExport(folder, { force: false }, new AbortController().signal);
  const described: Record<string, unknown> = JSON.parse(await readFile(manifest, "utf8"));
  await writeFile(manifest, JSON.stringify(change(described)));
  return folder;
}

/** A golden picture without objects: the seeded model's findings mean nothing. */
export const NOTHING_GOLDEN = {
  picture: "golden.jpg",
  prompt: "cat",
  threshold: 1,
  instances: [],
  tolerance: { boxIou: 0.9, score: 0.01, area: 0.01 },
};
