import { rm } from "node:fs/promises";
import { afterEach, beforeEach, vi } from "vitest";
import { z } from "zod";
import type { Wrangler } from "../../../scripts/operate/deploy/cloudflare.ts";
import { runDeploy } from "../../../scripts/operate/deploy/run.ts";
import { WranglerFailure } from "../../../scripts/shared/cloudflare/wrangler.ts";
import type { FakeAccount } from "./wrangler/account.ts";
import { answerOfApi, API } from "./wrangler/api.ts";
import { answerOf, wordsOf } from "./wrangler/answer.ts";
import { completeAccount, type CONFIGURED, copyConfiguration, type DeployFolder } from "./half-configured.ts";

/** The output of `npm run deploy -- --json`. */
export const Report = z.object({
  ready: z.boolean(),
  deployed: z.boolean(),
  healthy: z.boolean().nullable(),
  findings: z.array(
    z.object({ severity: z.string(), what: z.string(), problem: z.string(), mend: z.string() }),
  ),
});

/** A state of configuration: of a copy of wrangler.toml, and of the account. */
export interface Situation {
  readonly skipped?: readonly (keyof typeof CONFIGURED)[];
  readonly edit?: (toml: string) => string;
  readonly account?: Partial<FakeAccount>;
}

/** A finding, without its sentence. */
export interface Found {
  readonly severity: string;
  readonly what: string;
  readonly mend: string;
}

/** The addresses of the internet that answer a test, the account behind Cloudflare's API, and the command's output. */
export const world = { answering: new Set<string>(), account: null as FakeAccount | null, printed: "" };
const folders: string[] = [];

/** Puts a small internet and a terminal around each test of this file. */
export function aroundEachDeployment(): void {
  beforeEach(() => {
    world.answering = new Set([
      "https://inference.example.com/healthz",
      "https://inference.example.com/readyz",
      "https://segmentation.example.com/healthz",
    ]);
    world.printed = "";
    world.account = null;
    vi.stubEnv("CLOUDFLARE_API_TOKEN", undefined);
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      if (world.account !== null && request.url.startsWith(API))
        return await answerOfApi(world.account, request);
      if (world.answering.has(request.url)) return new Response("ok");
      throw new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
    });
    vi.spyOn(console, "log").mockImplementation((text: unknown) => {
      world.printed += `${String(text)}\n`;
    });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await Promise.all(folders.splice(0).map((path) => rm(path, { recursive: true })));
  });
}

/** A copy of the project's configuration, until the test ends. */
export async function prepare({ skipped, edit }: Situation): Promise<DeployFolder> {
  const folder = await copyConfiguration(skipped, edit);
  folders.push(folder.path);
  return folder;
}

/** Fakes Wrangler in this process: starting one per command would take a hundred times as long. */
export function fake(account: FakeAccount): { wrangler: Wrangler; calls: string[] } {
  const calls: string[] = [];
  const wrangler: Wrangler = async (args, _, input) => {
    calls.push(wordsOf(args));
    const { stdout, stderr, exitCode } = answerOf(account, args, input);
    if (exitCode !== 0) throw new WranglerFailure("wrangler", `${stdout}\n${stderr}`);
    return stdout;
  };
  return { wrangler, calls };
}

/** Runs the command on a copy of the project's configuration, with Wrangler's fake. */
export async function deploy(situation: Situation, ...args: string[]) {
  const folder = await prepare(situation);
  const { wrangler, calls } = fake({ ...(await completeAccount()), ...situation.account });
  world.printed = "";
  const exitCode = await runDeploy(
    ["--json", "--config", folder.config, ...args],
    new AbortController().signal,
    { wrangler, healthPatienceMs: 0 },
  );
  const report = Report.parse(JSON.parse(world.printed));
  const found = report.findings.map(({ severity, what, mend }): Found => ({
    severity,
    what,
    mend: mend.replaceAll(` --config ${folder.config}`, ""),
  }));
  return { ...report, exitCode, calls, found };
}
