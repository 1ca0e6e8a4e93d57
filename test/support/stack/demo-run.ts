import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { segmentArguments, segmentOn } from "../../../scripts/local/segment.ts";
import { only } from "../at.ts";
import { useSharedStack } from "./shared-stack.ts";

/**
 * Runs the demo with these arguments on the shared stack.
 * @param folder the folder for its results
 * @returns its output, and the folder of its results
 */
export async function demoOnSharedStack(
  folder: string,
  ...args: string[]
): Promise<{ printed: string; made: string }> {
  const out = await mkdtemp(join(folder, "segment-"));
  const order = segmentArguments(["--out", out, ...args], process.cwd()) ?? expect.fail();
  const written = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockReturnValue(true),
  );
  try {
    await segmentOn(await useSharedStack(), order, new AbortController().signal);
    const printed = written.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join("");
    return { printed, made: join(out, only(await readdir(out))) };
  } finally {
    for (const each of written) each.mockRestore();
  }
}
