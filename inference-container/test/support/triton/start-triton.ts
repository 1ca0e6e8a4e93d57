/** A real Triton on this machine's processors, with a model of the contract (fixture_model.py) under models/kserve/README.md's config.pbtxt. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { PROJECT_ROOT } from "../../../../scripts/shared/root.ts";
import { claimPort } from "../../../../scripts/shared/port.ts";
import { installTriton } from "./install-triton.ts";

/** The model's name in models/kserve/README.md. */
export const MODEL = "segment";
const LOOK_EVERY_MS = 50;

const Seen = z.object({
  what: z.enum(["began", "ended"]),
  id: z.string(),
  /** The model's process. */
  pid: z.number(),
  prompts: z.array(z.string()).default([]),
  hash: z.string().default(""),
  clicks: z.array(z.array(z.number())).default([]),
  /** True if Triton had told the model by its end that the client is gone. */
  cancelled: z.boolean().default(false),
});
/** A note of the model when it began or ended a request. */
type Seen = z.infer<typeof Seen>;

export interface TritonOptions {
  /** The number of requests that the model works on at once. */
  readonly instances: number;
  /** The most requests that wait; by default the page's. */
  readonly queue?: number;
  /** The folder of SAM 3's seeded graphs, to run these (seeded_sam3.py) instead of the fixture model. */
  readonly graphs?: string;
}

export interface Triton extends AsyncDisposable {
  readonly origin: string;
  /** Starts the server; resolves once it is ready. */
  start(): Promise<void>;
  /** Kills the server (SIGKILL), and resolves once it is gone. */
  kill(): Promise<void>;
  /** The model's notes so far, in order. */
  seen(): Promise<readonly Seen[]>;
  /** The number of requests in its queue. */
  waiting(): Promise<number>;
  /** Lets requests whose first prompt is this word wait. */
  hold(word: string): Promise<void>;
  /** Lets them go on. */
  release(word: string): Promise<void>;
}

/** Starts Triton on a free port; downloads it first if this machine has none. */
export async function startTriton(options: TritonOptions): Promise<Triton> {
  const { server, backends, env } = await installTriton();
  const folder = await mkdtemp(join(tmpdir(), "triton-"));
  const models = join(folder, "models");
  const held = join(folder, "held");
  for (const path of [held, join(models, MODEL, "1")]) await mkdir(path, { recursive: true });
  await writeFile(join(models, MODEL, "config.pbtxt"), await configOf(options, folder));
  const model = options.graphs === undefined ? "fixture_model.py" : "seeded_sam3.py";
  await copyFile(join(import.meta.dirname, model), join(models, MODEL, "1", "model.py"));
  const [port, metricsPort] = [await claimPort(0), await claimPort(0)];
  const origin = `http://127.0.0.1:${port}`;
  const log = join(folder, "triton.log");
  const shared = basename(folder);
  const args = [
    `--model-repository=${models}`,
    `--backend-directory=${backends}`,
    `--backend-config=python,shm-region-prefix-name=${shared}`,
    "--http-address=127.0.0.1",
    `--http-port=${port}`,
    "--allow-grpc=false",
    "--metrics-address=127.0.0.1",
    `--metrics-port=${metricsPort}`,
    "--metrics-interval-ms=10",
  ];
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    // With the model's processes: a container that is killed takes them along.
    process.kill(-child.pid, "SIGKILL");
    await ended;
    // Memory that the server shares with them outlives it.
    const left = (await readdir("/dev/shm")).filter((name) => name.startsWith(shared) && name !== shared);
    await Promise.all(left.map((name) => rm(join("/dev/shm", name), { recursive: true, force: true })));
  };
  const start = async (): Promise<void> => {
    const output = openSync(log, "a");
    child = spawn(server, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", output, output],
      detached: true,
    });
    closeSync(output);
    const started = child;
    const failed = new Promise<never>((_, reject) => started.once("error", reject));
    while (!(await Promise.race([isReady(origin), failed]))) {
      if (started.exitCode !== null)
        throw new Error(`Triton ended with ${started.exitCode}:\n${await readFile(log, "utf8")}`);
      await sleep(LOOK_EVERY_MS);
    }
  };
  const triton: Triton = {
    origin,
    start,
    kill,
    seen: async () => {
      const lines = await readFile(join(folder, "seen.jsonl"), "utf8").catch(() => "");
      return lines
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => Seen.parse(JSON.parse(line)));
    },
    waiting: async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return Number(/^nv_inference_pending_request_count\{.*\} (\d+)$/m.exec(metrics)?.[1]);
    },
    hold: (word) => writeFile(join(held, word), ""),
    release: (word) => rm(join(held, word), { force: true }),
    [Symbol.asyncDispose]: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await start();
    return triton;
  } catch (error) {
    await triton[Symbol.asyncDispose]();
    throw error;
  }
}

const isReady = (origin: string): Promise<boolean> =>
  fetch(`${origin}/v2/health/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** The page's config.pbtxt, as operators copy it, with these numbers. */
async function configOf({ instances, queue, graphs }: TritonOptions, control: string): Promise<string> {
  const page = await readFile(
    join(PROJECT_ROOT, "inference-container", "models", "kserve", "README.md"),
    "utf8",
  );
  const config = /```\n(name: "segment"[^`]*)```/.exec(page)?.[1];
  if (config === undefined) throw new Error("models/kserve/README.md has no config.pbtxt.");
  const parameters = { control, ...(graphs !== undefined && { graphs }) };
  return [
    config
      .replace(/count: \d+/, `count: ${instances}`)
      .replace(/max_queue_size: \d+/, (line) => (queue === undefined ? line : `max_queue_size: ${queue}`))
      .replace(/.*name: "clicks".*\n/, (line) => (graphs === undefined ? line : ""))
      // No comma after the last input.
      .replace(/},\s*\]/g, "} ]"),
    ...Object.entries(parameters).map(
      ([key, value]) => `parameters { key: "${key}" value: { string_value: "${value}" } }`,
    ),
  ].join("\n");
}
