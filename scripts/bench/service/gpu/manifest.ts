import { join } from "node:path";
import { BuiltinManifest } from "../../../../inference-container/src/models/builtin/manifest.ts";
import { readManifest } from "../../../../inference-container/src/models/folder.ts";
import { PROJECT_ROOT } from "../../../shared/root.ts";

/** The embedded model's manifest, for the sizes of SAM 2's tensors. */
export const embeddedManifest = (): Promise<BuiltinManifest> =>
  readManifest(join(PROJECT_ROOT, "inference-container", "models", "builtin"), BuiltinManifest);
