import { sha256Hex } from "./digest.ts";
import type { FinishedJob } from "./job/answers.ts";
import { assetsOf, manifestOf, type Asset } from "./manifest.ts";

const MANIFEST_NAME = "output_manifest.json";

/** What a job's archive holds, in its order: the manifest, then every asset under its key. */
export interface ArchivePlan {
  readonly manifest: Uint8Array;
  readonly assets: readonly Asset[];
  readonly names: readonly string[];
  /** The same for the same manifest and assets, whoever plans. */
  readonly digest: string;
}

/** Plans a job's archive. The manifest refers to the files in it by their names. */
export async function planArchive(job: FinishedJob): Promise<ArchivePlan> {
  const manifest = JSON.stringify(
    manifestOf(job, (key) => key),
    null,
    2,
  );
  const assets = assetsOf(job);
  return {
    manifest: new TextEncoder().encode(manifest),
    assets,
    names: [MANIFEST_NAME, ...assets.map(({ key }) => key)],
    digest: await sha256Hex(JSON.stringify([manifest, assets])),
  };
}
