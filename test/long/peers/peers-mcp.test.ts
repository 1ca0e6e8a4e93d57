/** The official Python client of the Model Context Protocol. Needs Python 3.10 or newer with venv, and PyPI. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { decodeRle } from "@segmentation/masks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { type SpawnedStack, spawnStack } from "../../support/stack/spawn-stack.ts";
import { readStrictly } from "../../support/zip/strict-zip.ts";

const run = promisify(execFile);
/** Packages and versions for which the script is written. */
const PACKAGES = ["mcp==2.3.0", "httpx2==2.16.2"];

const Objects = z.array(z.object({ confidence: z.number(), box: z.array(z.number()), area: z.number() }));
const Printed = z.object({
  version: z.string(),
  tools: z.array(z.string()).length(9),
  content: z.tuple([z.literal("image"), z.literal("text")]),
  spoon: Objects.min(1),
  saucer: Objects.length(1),
  rle: z.object({ size: z.tuple([z.literal(400), z.literal(600)]), counts: z.string() }),
  archive: z.url(),
  error: z.tuple([z.literal(true), z.string().startsWith("job_not_found: ")]),
});

let folder: string;
let stack: SpawnedStack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-"));
  await run("python3", ["-m", "venv", join(folder, "venv")]);
  await run(join(folder, "venv/bin/pip"), ["install", "--quiet", ...PACKAGES]);
  stack = await spawnStack({ stateDir: join(folder, "state") });
});
afterAll(async () => {
  await stack.kill();
  await rm(folder, { recursive: true });
});

it.each([
  ["auto", "2026-07-28"],
  ["legacy", "2025-11-25"],
])("finds the spoon, points at the saucer and exports COCO in the mode %s [A20-1]", async (mode, version) => {
  const script = join(PROJECT_ROOT, "test/support/clients/peers/agent.py");
  const { stdout } = await run(
    join(folder, "venv/bin/python"),
    [script, join(PROJECT_ROOT, "samples/coffee.png")],
    {
      env: {
        ...process.env,
        MCP_MODE: mode,
        SEGMENTATION_BASE_URL: stack.baseUrl,
        SEGMENTATION_API_KEY: stack.apiKey,
      },
    },
  );
  const printed = Printed.parse(JSON.parse(stdout));
  expect(printed.version).toBe(version);
  const mask = decodeRle(printed.rle);
  expect(mask.data.filter((value) => value !== 0)).toHaveLength(printed.spoon[0]?.area ?? 0);
  const archive = readStrictly(new Uint8Array(await (await fetch(printed.archive)).arrayBuffer()));
  expect([...archive.keys()].filter((name) => name.startsWith("annotations/"))).toHaveLength(1);
});
