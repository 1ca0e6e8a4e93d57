import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { BuiltinManifest } from "../../../../inference-container/src/models/builtin/manifest.ts";
import { PROJECT_ROOT } from "../../../shared/root.ts";

/** The embedded model's manifest, for the sizes of SAM 2's tensors. */
export async function readManifest(): Promise<BuiltinManifest> {
  const path = join(PROJECT_ROOT, "inference-container", "models", "builtin", "manifest.json");
  return BuiltinManifest.parse(JSON.parse(await readFile(path, "utf8")));
}
