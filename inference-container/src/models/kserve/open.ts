/** Opens a folder of the family `kserve`: finds its server, and checks that the model there is what the service expects. */
import { setTimeout as sleep } from "node:timers/promises";
import { ModelFolderError } from "../errors.ts";
import { readManifest } from "../folder.ts";
import type { LoadOptions } from "../loaded-model.ts";
import { checkMetadata } from "./contract.ts";
import { Semaphore } from "../../semaphore.ts";
import { LINGER_MS, PATIENCE_MS } from "./infer.ts";
import { KserveManifest } from "./manifest.ts";
import { KserveModel } from "./model.ts";
import { ModelServer } from "./server.ts";

const LOOK_EVERY_MS = 1_000;

/** @throws ModelFolderError if the server isn't ready within the options' patience, or has another model */
export async function openKserve(folder: string, options: LoadOptions): Promise<KserveModel> {
  const manifest = await readManifest(folder, KserveManifest);
  const server = new ModelServer(manifest.server, options.serverToken);
  const end = performance.now() + options.serverPatienceMs;
  for (;;) {
    const problem = await server.problem();
    if (problem === undefined) break;
    if (performance.now() + LOOK_EVERY_MS > end) throw new ModelFolderError(problem);
    await sleep(LOOK_EVERY_MS);
  }
  const drawsRegions = checkMetadata(server.name, await server.metadata());
  const semaphore = new Semaphore(manifest.server.concurrency);
  const { most } = manifest.objects;
  return new KserveModel(
    manifest,
    { server, semaphore, most, patienceMs: PATIENCE_MS, lingerMs: LINGER_MS },
    options.requestTimeoutMs,
    drawsRegions,
  );
}
