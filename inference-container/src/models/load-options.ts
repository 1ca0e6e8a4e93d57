/** How to load a model of any family. */
import type { RuntimeOptions } from "./graph.ts";

export interface LoadOptions extends RuntimeOptions {
  /** Budget in bytes for remembered image features; one picture takes about 17 MB with `builtin`, 117 MB with SAM 3. */
  readonly featureCacheBytes: number;
  /** Budget in bytes for remembered prompts. */
  readonly textCacheBytes: number;
  /** Whether to compare every file's SHA-256 too, which takes some tenths of a second. */
  readonly digests: boolean;
}

/** How many rows are joined by default: on a CPU, which a single picture keeps busy, joining would gain nothing. */
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
