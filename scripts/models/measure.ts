import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "../../inference-container/src/models/folder.ts";
import { GraphSet } from "../../inference-container/src/models/graph-set.ts";
import { DEFAULT_LOAD_OPTIONS, defaultMaxBatch } from "../../inference-container/src/models/load-options.ts";
import { loadModel } from "../../inference-container/src/models/load.ts";
import { Manifest } from "../../inference-container/src/models/manifest.ts";
import type { Instance, Model, Segmentation } from "../../inference-container/src/models/model.ts";
import { decodePicture } from "../../inference-container/src/pictures/decode.ts";
import { peakIn } from "../bench/video/watch-memory.ts";
import type { Provider } from "./arguments.ts";
import type { Usable } from "./report.ts";

const PIXEL_LIMIT = 50_000_000;

/**
 * Loads a folder with digests and self-test, runs its golden picture twice and reads its graphs. Call it in a separate
 * process, because the peak of memory is that of the whole process.
 * @throws ModelFolderError if the folder cannot be used
 */
export async function measure(folder: string, provider: Provider): Promise<Usable> {
  const maxBatch = defaultMaxBatch(provider);
  const model = await loadModel(folder, { provider, maxBatch, digests: true });
  const manifest = await readManifest(folder, Manifest);
  const golden = await runGolden(model, folder, manifest);
  // Read before the graphs are opened again, which the service does not do.
  const peakBytes = await ownPeak();
  await model.close();
  return {
    usable: true,
    id: model.id,
    version: model.version,
    family: manifest.family,
    provider: model.provider,
    peakBytes,
    golden,
    graphs: await signatures(folder, manifest, provider),
  };
}

async function runGolden(model: Model, folder: string, { golden }: Manifest): Promise<Usable["golden"]> {
  const path = join(folder, golden.picture);
  const hash = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  const picture = await decodePicture(path, hash, PIXEL_LIMIT);
  const { prompt, threshold } = golden;
  const timed = async (): Promise<{ ms: number; found: Segmentation }> => {
    const started = performance.now();
    const found = await model.segment(picture, { prompts: [prompt], threshold, withFaint: false });
    return { ms: performance.now() - started, found };
  };
  const [first, second] = [await timed(), await timed()];
  return {
    picture: golden.picture,
    prompt,
    firstMs: first.ms,
    secondMs: second.ms,
    cached: second.found.featuresCached,
    instances: first.found.instances.map(described),
  };
}

function described({ score, box, mask }: Instance): Usable["golden"]["instances"][number] {
  const set = mask.logits.reduce((count, logit) => count + (logit > 0 ? 1 : 0), 0);
  return { score, box: [...box], area: set / mask.logits.length };
}

/** The tensors as the files have them: without optional ones that are missing, and with fixed sizes as numbers. */
async function signatures(
  folder: string,
  { graphs }: Manifest,
  provider: Provider,
): Promise<Usable["graphs"]> {
  const opened = new GraphSet(folder, {
    ...DEFAULT_LOAD_OPTIONS,
    provider,
    maxBatch: defaultMaxBatch(provider),
  });
  const read: Usable["graphs"] = [];
  for (const spec of Object.values(graphs)) {
    const { file, maxBatch, inputs, outputs } = await opened.load(spec);
    read.push({ file, maxBatch, inputs: [...inputs], outputs: [...outputs] });
  }
  await opened.close();
  return read;
}

/** The peak resident memory of this process, in bytes. */
async function ownPeak(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  // The fallback also counts the parent's memory at the start, so it is only for systems without /proc.
  return peakIn(status) || 1_024 * process.resourceUsage().maxRSS;
}
