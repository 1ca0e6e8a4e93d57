/**
 * The faster variant of the embedded model. Its encoder computes in 8-bit integers, which changes its masks a little.
 */
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuiltinManifest } from "../builtin/manifest.ts";
import { linkFile } from "./folders.ts";
import { withInt8Products } from "./quantize.ts";

const ENCODER = {
  name: "sam2-encoder-int8.onnx",
  role: "graph",
  size: 54_218_996,
  sha256: "aa79e1ec4363ef3e93dcdc38aaec84d9f8d6b7cea3cffb7adb00dfd2a975480e",
};

/** @param builtin the embedded model's manifest */
export function fastManifest(builtin: BuiltinManifest): BuiltinManifest {
  const { encoder } = builtin.graphs;
  return {
    ...builtin,
    id: "builtin-fast",
    description: `${builtin.description} SAM 2's encoder computes in integers: faster, and a little less accurate.`,
    files: builtin.files.map((file) => (file.name === encoder.file ? ENCODER : file)),
    graphs: { ...builtin.graphs, encoder: { ...encoder, file: ENCODER.name } },
  };
}

/** Fills a folder with the variant's files, all but the manifest, from the folder of the embedded model and by its manifest. */
export async function buildFast(from: string, folder: string, builtin: BuiltinManifest): Promise<void> {
  const { file } = builtin.graphs.encoder;
  for (const { name } of builtin.files)
    if (name !== file) await linkFile(join(from, name), join(folder, name));
  const encoder = await readFile(join(from, file));
  await writeFile(join(folder, ENCODER.name), withInt8Products(encoder));
  await chmod(folder, 0o755);
}
