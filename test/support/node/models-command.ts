import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, vi } from "vitest";
import { findMarked } from "../../../scripts/shared/marked-processes.ts";

const run = promisify(execFile);

/** Runs `npm run models` with these arguments; resolves to what it printed, and is rejected with its exit code. */
export const models = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(process.execPath, [join("scripts", "models.ts"), ...args], { env: { ...process.env, ...env } });

/** What ONNX Runtime itself writes into the temporary folder, whenever it runs. */
const OF_RUNTIME = /^(?:\.ses|mat-debug-\d+\.log)$/;

/** `evaluate` ends at Ctrl-C with exit code 130, once it has said what it begins with, and leaves neither one of them nor a temporary file. */
export async function endsAtCtrlC(
  folder: string,
  scratch: string,
  ...options: readonly string[]
): Promise<void> {
  const mark = { MODELS_TEST: randomUUID() };
  const temporary = await mkdtemp(join(scratch, "tmp-"));
  const args = ["evaluate", folder, "--sheet", join(temporary, "misses.png"), ...options];
  const evaluating = models(args, { ...mark, TMPDIR: temporary });
  const ended = expect(evaluating).rejects.toMatchObject({ code: 130 });
  evaluating.child.stderr?.once("data", () => evaluating.child.kill("SIGINT"));
  await ended;
  await vi.waitUntil(() => findMarked(mark).length === 0, { timeout: 150_000 });
  const left = await readdir(temporary);
  expect(left.filter((name) => !OF_RUNTIME.test(name))).toEqual([]);
}
