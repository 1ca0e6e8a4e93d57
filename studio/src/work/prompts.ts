/** The prompts in a text: one per line, or separated by commas, without empty ones. */
const promptsIn = (text: string): string[] =>
  text
    .split(/[\n,;]/)
    .map((part) => part.trim().replaceAll(/\s+/g, " "))
    .filter((part) => part !== "");

/** Whether two prompts ask for the same. */
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** A list of prompts with those of a text added, each once, in the order in which they were given. */
export function withPrompts(prompts: readonly string[], text: string): readonly string[] {
  const added = [...prompts];
  for (const prompt of promptsIn(text)) if (!added.some((other) => isSame(other, prompt))) added.push(prompt);
  return added;
}

/** What a person has typed so far, split at the last separator: whole prompts, and the one that is being typed. */
export function typedSoFar(text: string): { readonly whole: string; readonly rest: string } {
  const end = Math.max(text.lastIndexOf(","), text.lastIndexOf("\n"), text.lastIndexOf(";")) + 1;
  return { whole: text.slice(0, end), rest: text.slice(end) };
}
