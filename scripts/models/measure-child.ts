/** Loads one model folder and sends a report to the parent process. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelFolderError } from "../../inference-container/src/models/errors.ts";
import { fileDigest, readManifest } from "../../inference-container/src/models/folder.ts";
import { openModel } from "../../inference-container/src/models/load.ts";
import type { NamedTensor } from "../../inference-container/src/models/loaded-model.ts";
import { Manifest } from "../../inference-container/src/models/manifest.ts";
import { gridArea } from "@segmentation/masks";
import type { Instance, Model, Segmentation } from "../../inference-container/src/models/model.ts";
import { decodePicture } from "../../inference-container/src/pictures/decode.ts";
import { peakIn } from "../shared/processes.ts";
import { messageOf } from "../shared/error-parts.ts";
import type { Provider } from "../../inference-container/src/device/messages.ts";
import { providerOf, serverToken } from "./load-options.ts";
import type { Report, Tensor, Usable } from "./report.ts";

const PIXEL_LIMIT = 50_000_000;

/**
 * Loads a folder with its self-test and runs its golden picture twice. Call it in a separate
 * process, because the peak of memory is that of the whole process.
 * @throws ModelFolderError if the folder cannot be used
 */
async function measure(folder: string, provider: Provider, cpuNodes: boolean): Promise<Usable> {
  const model = await openModel(folder, {
    provider,
    cpuNodes: cpuNodes || provider === "cpu",
    ...serverToken(),
  });
  const manifest = await readManifest(folder, Manifest);
  const golden = await runGolden(model, folder, manifest);
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
    signatures: model.signatures.map(({ name, inputs, outputs }) => ({
      name,
      inputs: inputs.map(described),
      outputs: outputs.map(described),
    })),
  };
}

async function runGolden(model: Model, folder: string, { golden }: Manifest): Promise<Usable["golden"]> {
  const path = join(folder, golden.picture);
  const picture = await decodePicture(path, await fileDigest(path), PIXEL_LIMIT);
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
    instances: first.found.instances.map(summary),
  };
}

function summary({ score, box, mask }: Instance): Usable["golden"]["instances"][number] {
  return { score, box: [...box], area: gridArea(mask) / mask.logits.length };
}

const described = ({ role, name, dtype, shape }: NamedTensor): Tensor => ({
  role,
  name,
  dtype,
  shape: [...shape],
});

/** The peak resident memory of this process, in bytes. */
async function ownPeak(): Promise<number> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  // The fallback also counts the parent's memory at the start, so it is only for systems without /proc.
  return peakIn(status) || 1_024 * process.resourceUsage().maxRSS;
}

const [folder = "", provider, cpuNodes] = process.argv.slice(2);

// The parent has ended without waiting for the report.
process.once("disconnect", () => process.exit());
const report: Report = await measure(folder, providerOf(provider), cpuNodes !== undefined).catch(
  (error: unknown) => ({
    usable: false,
    error:
      error instanceof ModelFolderError
        ? error.message
        : `The model in ${folder} was loaded but cannot run: ${messageOf(error)}`,
  }),
);
process.send?.(report, () => process.disconnect());
