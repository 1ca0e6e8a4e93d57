/** How a model is loaded, for every family. */
import type { RuntimeOptions } from "./graph.ts";

export interface LoadOptions extends RuntimeOptions {
  /** Budget of remembered image features; those of one picture take about 17 MB with `builtin`, 117 MB with SAM 3. */
  readonly featureCacheBytes: number;
  /** Budget of remembered prompts. */
  readonly textCacheBytes: number;
  /** Also compare every file's SHA-256: some tenths of a second. */
  readonly digests: boolean;
}

/** How many rows are joined where nobody says: on a CPU, which a single picture keeps busy, it would gain nothing. */
export function defaultMaxBatch(provider: RuntimeOptions["provider"]): number {
  return provider === "cuda" ? 4 : 1;
}

export const DEFAULT_LOAD_OPTIONS: LoadOptions = {
  provider: "cpu",
  device: 0,
  threads: 0,
  maxBatch: defaultMaxBatch("cpu"),
  batchDelayMs: 0,
  featureCacheBytes: 256 * 1024 * 1024,
  textCacheBytes: 1024 * 1024,
  digests: false,
};
