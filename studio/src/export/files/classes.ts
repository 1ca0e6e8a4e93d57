/** The service's class of an object that was pointed at and that nobody has named. */
const REGION = "region";

/** The class that files name for an object. @param label its prompt, or a name that a person gave; null if neither */
export const categoryOf = (label: string | null): string => label ?? REGION;

/** The classes of objects with these labels: the prompts as the service numbers them, and what else there is after them. */
export const classesOf = (
  prompts: readonly string[],
  labels: readonly (string | null)[],
): readonly string[] => {
  const pointed = labels.includes(null) ? [REGION] : [];
  return [...new Set([...prompts, ...pointed, ...labels.map(categoryOf)])];
};
