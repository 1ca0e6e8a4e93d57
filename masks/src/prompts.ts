/** Returns the same text for names that differ by letter case alone, as those of an annotations document's class do. */
export const withoutCase = (name: string): string => name.normalize("NFC").toLowerCase();

/** Returns the same text for names of the same class: "cup", "Cup" and "cup ". */
export const classKeyOf = (prompt: string): string => withoutCase(prompt).trim().replaceAll(/\s+/g, " ");

/** The prompts without repetitions, each as it was written first: two categories of one name would have the same objects. */
export function distinctPrompts(prompts: readonly string[]): string[] {
  const distinct = new Map<string, string>();
  for (const prompt of prompts)
    if (!distinct.has(classKeyOf(prompt))) distinct.set(classKeyOf(prompt), prompt);
  return [...distinct.values()];
}
