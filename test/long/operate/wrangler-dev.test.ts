/** `npx wrangler dev` in a fresh clone, with the packages of this one. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../../../scripts/shared/api-client.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { claimPort } from "../../../scripts/shared/port.ts";
import { CHECKED, QUIET_WRANGLER } from "../../../scripts/shared/cloudflare/wrangler.ts";
import { present } from "../../support/at.ts";

const run = promisify(execFile);
/** As a person has it: not marked as one of the project's own commands. */
const ENVIRONMENT: NodeJS.ProcessEnv = {
  ...process.env,
  ...QUIET_WRANGLER,
  [CHECKED]: undefined,
  CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: undefined,
};

let clone: string;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  // In the project, because hard links cannot leave its file system.
  clone = await mkdtemp(join(PROJECT_ROOT, ".local", "clone-"));
  const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  for (const file of stdout.split("\0").filter((name) => name !== ""))
    await cp(join(PROJECT_ROOT, file), join(clone, file), { recursive: true });
  const modules = await run("find", [".", "-name", "node_modules", "-prune", "-not", "-path", "./.local/*"]);
  for (const folder of modules.stdout.trim().split("\n"))
    await run("cp", ["-al", folder, join(clone, dirname(folder))]);
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  await rm(clone, { recursive: true });
});

/** Starts a program of the clone. Returns what it has printed so far. */
function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): () => string {
  const child = spawn(program, args, {
    cwd: clone,
    env: { ...ENVIRONMENT, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed += String(chunk);
    });
  ends.push(async () => {
    const ended = once(child, "exit");
    process.kill(-present(child.pid, "pid"), "SIGKILL");
    await ended;
  });
  return () => printed;
}

it("serves the API, the studio and uploads; a job waits until the inference service that its output names is started", async () => {
  const [port, inferencePort] = [await claimPort(0), await claimPort(0)];
  const baseUrl = `http://127.0.0.1:${port}`;
  const vars = {
    PUBLIC_URL: baseUrl,
    S3_ENDPOINT: `${baseUrl}/cdn-cgi/local/r2/s3`,
    INFERENCE_URL: `http://127.0.0.1:${inferencePort}`,
  };
  const options = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const printed = start("npx", ["wrangler", "dev", "--port", String(port), ...options]);
  const statusOf = async (path: string) => (await fetch(baseUrl + path).catch(() => undefined))?.status ?? 0;
  await expect.poll(() => statusOf("/healthz"), { timeout: 300_000 }).toBe(200);
  expect(await statusOf("/studio")).toBe(200);
  expect(printed()).toContain("npm run inference");
  const [apiKey = expect.fail(printed())] = /sk_live_\w+/.exec(printed()) ?? [];

  const client = createClient({ baseUrl, apiKey });
  const picture = await readFile(join(PROJECT_ROOT, "samples/coffee.png"));
  const tasks = [await client.upload(picture, "image/png")];
  const { jobId } = await client.createImageJob({ prompts: ["cup"], tasks });
  const status = async () => (await client.retrieveJob(jobId)).status;
  await expect.poll(() => printed(), { timeout: 60_000 }).toContain("tasks_put_off");
  expect(await status()).toBe("queued");

  start("npm", ["run", "inference"], { WORKER_URL: baseUrl, PORT: String(inferencePort) });
  await expect.poll(status, { timeout: 600_000, interval: 1_000 }).toBe("success");
});

it("wrangler deploy there ends with what to run", async () => {
  const ended = run("npx", ["wrangler", "deploy"], { cwd: clone, env: ENVIRONMENT });
  await expect(ended).rejects.toMatchObject({ code: 1 });
  const said = await ended.catch((error: { stdout: string; stderr: string }) => error.stdout + error.stderr);
  expect(said).toContain("Run `npm run deploy`");
});
