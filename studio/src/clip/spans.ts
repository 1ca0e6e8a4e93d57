/** Where an object is seen without a gap, in seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Joins an object's sightings to spans. A processed frame lasts until the next one; the last one until the clip's end.
 * @param times of all processed frames @param seen places in `times`, in their order
 */
export function spansOf(times: readonly number[], seen: readonly number[], duration: number): Span[] {
  const spans: Span[] = [];
  let before = -2;
  for (const at of seen) {
    const from = times[at] ?? 0;
    const to = Math.max(from, times[at + 1] ?? duration);
    const last = spans.at(-1);
    if (last !== undefined && at === before + 1) spans[spans.length - 1] = { from: last.from, to };
    else spans.push({ from, to });
    before = at;
  }
  return spans;
}
