/** Verdict of a review on a picture. */
export type Verdict = "accepted" | "rejected";

/** Verdicts on pictures, by their keys. */
export type Verdicts = ReadonlyMap<string, Verdict>;

/** With a verdict on pictures; if all of them have it already, takes it back. */
export function judged(verdicts: Verdicts, keys: readonly string[], verdict: Verdict): Verdicts {
  const next = new Map(verdicts);
  const isTakenBack = keys.every((key) => verdicts.get(key) === verdict);
  for (const key of keys)
    if (isTakenBack) next.delete(key);
    else next.set(key, verdict);
  return next;
}

/** Returns the next picture without a verdict among those of the review, after the open one and then from the start; null if there is none. */
export function nextToReview(
  keys: readonly string[],
  open: string | null,
  verdicts: Verdicts,
): string | null {
  const at = open === null ? -1 : keys.indexOf(open);
  const others = [...keys.slice(at + 1), ...keys.slice(0, Math.max(0, at))];
  return others.find((key) => !verdicts.has(key)) ?? null;
}
