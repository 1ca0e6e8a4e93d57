/** Results of graphs that are kept for the next call on the same picture or prompt. */
import { ByteCache } from "./byte-cache.ts";
import type { Tensors } from "./graph.ts";
import { tensorBytes } from "./tensors.ts";

/** A cache of tensors bounded by their bytes. */
export function tensorCache(budget: number): ByteCache<Tensors> {
  return new ByteCache(budget, tensorBytes);
}

/** What the cache has under a key, else what `compute` gives, kept from then on; a null key is never kept. */
export async function remembered<V>(
  cache: ByteCache<V>,
  key: string | null,
  compute: () => Promise<V>,
): Promise<{ value: V; cached: boolean }> {
  if (key === null) return { value: await compute(), cached: false };
  const known = cache.get(key);
  if (known !== undefined) return { value: known, cached: true };
  const value = await compute();
  cache.set(key, value);
  return { value, cached: false };
}

/** Boxes are small beside features: this holds those of thousands of pictures. */
const DETECTION_CACHE_BYTES = 4 * 1024 * 1024;
const DETECTION_BYTES = 128;

/** Remembers what a detector found on pictures, by their content. */
export function detectionCache<Detection>(): ByteCache<readonly Detection[]> {
  return new ByteCache(DETECTION_CACHE_BYTES, (detections) => DETECTION_BYTES * (detections.length + 1));
}
