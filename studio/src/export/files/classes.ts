import { classKeyOf } from "@segmentation/masks";

/** Everything that decides the classes of an entry: earlier exports, its jobs' prompts and its objects' labels, also of the parts that are not exported. */
export interface Entry {
  /** Classes of earlier exports, in the order of their numbers; "" for a number that is no longer used. */
  readonly exported: readonly string[];
  /** Prompts of all its searches, the oldest first. */
  readonly prompts: readonly string[];
  /** Label of each object in all its pictures, hidden objects included; null for an object without a name. */
  readonly labels: readonly (string | null)[];
}

/** Classes of an entry, in the order of their numbers; "" for a number that is no longer used. */
export interface Classes {
  readonly names: readonly string[];
  /** Returns the number of an object's class, from 0. @throws Error if the object has no name */
  readonly indexOf: (label: string | null) => number;
}

/**
 * Returns the classes of an entry: those of earlier exports, then the other prompts in their order, then the other labels in the order in
 * which they appear first. Names that differ by case or spaces alone are one class, written as it was first.
 */
export function classesOf({ exported, prompts, labels }: Entry): Classes {
  const names = [...exported];
  const numbers = new Map<string, number>();
  for (const [i, name] of exported.entries())
    if (name !== "" && !numbers.has(classKeyOf(name))) numbers.set(classKeyOf(name), i);
  for (const name of [...prompts, ...labels]) {
    if (name === null || numbers.has(classKeyOf(name))) continue;
    numbers.set(classKeyOf(name), names.length);
    names.push(name);
  }
  return {
    names,
    indexOf: (label) => {
      const number = label === null ? undefined : numbers.get(classKeyOf(label));
      if (number === undefined) throw new Error("Name the objects that have no class yet.");
      return number;
    },
  };
}
