/** How much time a slot has whose settled units are summed up, in milliseconds. migrations/0011 has the same number. */
const SLOT_MS = 300_000;

/** The slot (counted from the epoch) in which a moment (epoch ms) lies. */
export const slotOf = (time: number): number => Math.floor(time / SLOT_MS);

/** How the time after a moment is divided: up to `wholeFrom` (epoch ms) it is part of a slot; from there on slots are whole. */
export interface SlotsAfter {
  readonly firstWhole: number;
  readonly wholeFrom: number;
}

/** The slots after a moment (epoch ms). */
export function slotsAfter(time: number): SlotsAfter {
  const firstWhole = slotOf(time) + 1;
  return { firstWhole, wholeFrom: firstWhole * SLOT_MS };
}
