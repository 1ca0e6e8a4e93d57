/** The text cut to at most this many UTF-16 units, never within a character, with "…" for the rest. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most - 1);
  // Half of a character that two units make up.
  return `${kept.replace(/[\uD800-\uDBFF]$/, "")}…`;
}
