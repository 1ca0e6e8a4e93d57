import { expect, test } from "vitest";
import { thirds } from "../../scripts/bench/service/sample-memory.ts";
import { soakReport } from "../../scripts/bench/service/soak-report.ts";
import { soak } from "../../scripts/bench/service/soak.ts";

const MINUTES = Number(process.env["SOAK_MINUTES"] ?? 10);
/** Buffers that are kept on purpose fill up in the first third, and no third is like another to a few per cent. */
const MOST_GROWTH = 1.25;

test("pictures, clips and files that can't be read, for minutes on end, all end as they have to and take no more memory in the end than in the middle", async ({
  signal,
}) => {
  const done = await soak(MINUTES, signal);
  // The console of a test that passes is not shown.
  process.stdout.write(`${soakReport(done).join("\n")}\n`);
  // A task that ended in another way would have ended the soak.
  expect([...done.outcomes.keys()].toSorted()).toEqual([
    "clip",
    "image_empty",
    "image_truncated",
    "input_not_found",
    "not_an_image",
    "picture",
    "picture with preview",
    "prompt_outside_vocabulary",
  ]);
  for (const part of ["service", "engine"] as const) {
    const [, middle, last] = thirds(done.samples.map((sample) => sample[part]));
    expect(last / middle, part).toBeLessThan(MOST_GROWTH);
  }
});
