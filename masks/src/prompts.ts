/** The same text for prompts that ask for the same: "cup", "Cup" and "cup ". */
const keyOf = (prompt: string): string =>
  prompt.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase();

/** The prompts without repetitions, each as it was written first: two categories of one name would have the same objects. */
export function distinctPrompts(prompts: readonly string[]): string[] {
  const distinct = new Map<string, string>();
  for (const prompt of prompts) if (!distinct.has(keyOf(prompt))) distinct.set(keyOf(prompt), prompt);
  return [...distinct.values()];
}
