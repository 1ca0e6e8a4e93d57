import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { listeningUrl } from "../../../scripts/shared/child.ts";
import { waitForOk } from "../../../scripts/shared/wait-for.ts";
import { contextFiles, readIgnored, readStages, type Stage } from "../support/image.ts";

const folder = await mkdtemp(join(tmpdir(), "segmentation-image-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Copies the files of a Dockerfile's stage from the build context into a folder. */
async function copyContext({ copies }: Stage, to: string): Promise<void> {
  const ignored = readIgnored();
  for (const source of copies.flatMap(({ sources }) => sources)) {
    for (const path of contextFiles(source, ignored)) {
      await mkdir(join(to, dirname(path)), { recursive: true });
      await cp(join(PROJECT_ROOT, path), join(to, path));
    }
  }
}

it("starts from what its Dockerfile copies, and is ready with the embedded model", async () => {
  const [dependencies, image] = readStages(join(PROJECT_ROOT, "inference-container", "Dockerfile"));
  if (dependencies === undefined || image === undefined)
    throw new Error("The Dockerfile has not two stages.");
  const modelFolder = await ensureBuiltin();

  const installed = join(folder, "dependencies");
  await copyContext(dependencies, installed);
  for (const run of dependencies.runs) await promisify(execFile)("sh", ["-ec", run], { cwd: installed });
  const app = join(folder, "app");
  await copyContext(image, app);
  await rename(join(installed, "node_modules"), join(app, "node_modules"));
  await rm(installed, { recursive: true });

  const env = {
    PATH: process.env["PATH"],
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: "0",
    TMPDIR: folder,
    MODEL_FOLDER: modelFolder,
    STORAGE_ORIGINS: "http://127.0.0.1:1",
    CALLBACK_ORIGINS: "http://127.0.0.1:1",
  };
  const service = spawn(process.execPath, image.command.slice(1), {
    cwd: app,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(service, "exit");
  onTestFinished(async () => {
    service.kill("SIGTERM");
    await ended;
  });
  const listening = Promise.withResolvers<string>();
  createInterface({ input: service.stdout }).on("line", (line) => {
    const url = listeningUrl(line);
    if (url !== null) listening.resolve(url);
  });
  const gone = ended.then(([code]) => Promise.reject(new Error(`The service ended with exit code ${code}.`)));
  const url = await Promise.race([listening.promise, gone]);
  const { signal } = new AbortController();
  expect(await Promise.race([waitForOk(`${url}/readyz`, 300_000, signal), gone])).toBe(true);
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ state: "READY" });

  const check = spawn(process.execPath, image.healthCheck.slice(1), {
    cwd: app,
    env: { ...env, PORT: new URL(url).port },
  });
  expect(await once(check, "exit")).toEqual([0, null]);
  service.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
}, 900_000);
