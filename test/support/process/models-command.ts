import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, vi } from "vitest";
import { findMarked } from "../../../scripts/shared/marked-processes.ts";

const run = promisify(execFile);

/** Runs `npm run models` with these arguments; resolves to its output, and rejects with its exit code. */
export const models = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(process.execPath, [join("evaluation", "src", "command", "models.ts"), ...args], {
    env: { ...process.env, ...env },
  });

/** ONNX Runtime's files in the temporary folder, which every run may write. */
const OF_RUNTIME = /^(?:\.ses|mat-debug-\d+\.log)$/;

/** Expects `evaluate` to end at Ctrl-C with exit code 130 after its first line, without a leftover process or temporary file. */
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

/**
 * Writes labels of a picture that other tests use, too: a new picture costs seconds. The cat's outline is nearly this rectangle.
 */
export async function catLabels(folder: string): Promise<string> {
  const { categories } = JSON.parse(await readFile(join("samples", "labelled", "instances.json"), "utf8"));
  const { id } = categories.find(({ name }: { name: string }) => name === "cat");
  const segmentation = [[0, 0, 400, 0, 400, 300, 0, 300]];
  const labels = {
    images: [{ id: 1, file_name: "chelsea.png", width: 451, height: 300 }],
    categories,
    annotations: [{ id: 1, image_id: 1, category_id: id, segmentation }],
  };
  const path = join(folder, "one.json");
  await writeFile(path, JSON.stringify(labels));
  return path;
}
