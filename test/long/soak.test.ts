import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureBuiltin } from "../../inference-container/src/models/fetch/ensure-builtin.ts";
import { soakEmbedded } from "../support/soak/embedded-soak.ts";
import { soakReport, soak } from "../support/soak/soak.ts";
import { thirds } from "../support/soak/soak-memory.ts";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";

const MINUTES = Number(process.env["SOAK_MINUTES"] ?? 10);
/** Enough that the feature cache, which has room for some fifteen, is full for most of the time. */
const PICTURES = Number(process.env["SOAK_PICTURES"] ?? 120);
const FEATURE_CACHE_BYTES = 256 * 1_048_576;
/** Buffers that are kept on purpose fill up in the first third, and no third is like another to a few per cent. */
const MOST_GROWTH = 1.25;

test("pictures, videos and files that can't be read, for minutes on end, all end as they have to and take no more memory in the end than in the middle", async ({
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

test("with the embedded model an engine never takes more than the operator's guide says and its cache, and grows no more once the cache is full", async ({
  signal,
}) => {
  const guide = readFileSync(join(PROJECT_ROOT, "docs", "operations", "inference.md"), "utf8");
  const [, gigabytes] = /per device: ([\d.]+) GB for the embedded model/.exec(guide) ?? [];
  const { peak, samples } = await soakEmbedded(await ensureBuiltin(), PICTURES, signal);
  const engine = samples.map((sample) => sample.engine);
  const [first, middle, last] = thirds(engine).map((bytes) => Math.round(bytes / 1e6));
  process.stdout.write(`engine, MB: ${first}, ${middle}, ${last}; peak ${Math.round(peak / 1e6)}\n`);
  expect(peak).toBeLessThan(Number(gigabytes) * 1e9 + FEATURE_CACHE_BYTES);
  expect((last ?? NaN) / (middle ?? NaN)).toBeLessThan(MOST_GROWTH);
});
