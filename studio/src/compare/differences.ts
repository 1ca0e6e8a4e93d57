import type { PackedMask } from "../viewer/masks/packed.ts";

/** Two masks with at least the first overlap (IoU) show one object; with at least the second, they look the same to people. */
const [ONE_OBJECT, THE_SAME] = [0.5, 0.9];

/** Comparison of an object with those of another search: found by both, found by both with another outline, or by this one alone. */
export type Difference = "same" | "changed" | "only";

/** A mask and its name. */
export type NamedMask = readonly [id: string, mask: PackedMask];

/** Difference of each object, by the name of its mask. */
export type Differences = ReadonlyMap<string, Difference>;

/** Counts the common pixels of two masks of a picture. */
function commonArea(a: PackedMask, b: PackedMask): number {
  const left = Math.max(a.x, b.x) >> 3;
  const right = Math.min((a.x >> 3) + a.stride, (b.x >> 3) + b.stride);
  let common = 0;
  for (let y = Math.max(a.y, b.y); y < Math.min(a.y + a.rows, b.y + b.rows); y++) {
    const [inA, inB] = [(y - a.y) * a.stride - (a.x >> 3), (y - b.y) * b.stride - (b.x >> 3)];
    for (let x = left; x < right; x++)
      for (let bits = (a.bits[inA + x] ?? 0) & (b.bits[inB + x] ?? 0); bits > 0; bits &= bits - 1) common++;
  }
  return common;
}

/** The share of two masks of a picture that they have in common (IoU), 0 to 1; 0 if both are empty. */
export function overlap(a: PackedMask, b: PackedMask): number {
  const common = commonArea(a, b);
  const either = a.area + b.area - common;
  return either === 0 ? 0 : common / either;
}

/**
 * Compares the objects that two searches have found in a picture. Each belongs to at most one of the other search, those that
 * overlap most first, under any name.
 */
export function differencesOf(ours: readonly NamedMask[], theirs: readonly NamedMask[]): Differences {
  const all = new Map<string, Difference>([...ours, ...theirs].map(([id]) => [id, "only"]));
  const pairs = ours.flatMap(([our, a]) =>
    theirs.map(([their, b]) => ({ our, their, share: overlap(a, b) })),
  );
  const open = new Set(all.keys());
  for (const { our, their, share } of pairs.toSorted((a, b) => b.share - a.share)) {
    if (share < ONE_OBJECT || !open.has(our) || !open.has(their)) continue;
    for (const id of [our, their]) {
      open.delete(id);
      all.set(id, share < THE_SAME ? "changed" : "same");
    }
  }
  return all;
}
