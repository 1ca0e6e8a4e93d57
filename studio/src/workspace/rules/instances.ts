import type { Colour } from "../../viewer/types.ts";

/** One object of a picture that a job has found. */
export interface Instance {
  /** Names its mask. */
  readonly id: string;
  /** Names the object, even when its mask changes. */
  readonly object: string;
  /** The prompt that it answers; null if it was pointed at. */
  readonly prompt: string | null;
  /** Its label: its prompt, or a name that a person gave; null if neither. */
  readonly label: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** Its place among those of its label, from 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly png: Blob;
  /** The index of its region in the job; absent if it answers a prompt. */
  readonly region?: number;
  /** The mean color of the picture under the mask, as bytes of sRGB; absent if the picture can't be read here. */
  readonly under?: Colour["rgb"] | undefined;
}

/** Selects the instances of a picture that are shown. */
export interface Filter {
  /** Instances of a prompt with a lower confidence are hidden. Pointed objects are shown at any. */
  readonly least: number;
  /** The same of prompts with a separate confidence. */
  readonly leasts: ReadonlyMap<string | null, number>;
  /** The hidden objects. */
  readonly hidden: ReadonlySet<string>;
  /** Objects that are shown at any confidence. */
  readonly accepted?: ReadonlySet<string>;
}

/** The instances of one label, or those without any. */
export interface Group {
  readonly label: string | null;
  readonly instances: readonly Instance[];
}

/** Labels have no more characters: they become names of files and classes. */
export const LONGEST_LABEL = 60;

/** Returns the displayed name of an instance. */
export const nameOf = ({ label, number }: Pick<Instance, "label" | "number">): string =>
  `${label ?? "Object"} ${number}`;

/** Tells whether the confidence suffices. */
export const isConfident = (
  { prompt, confidence, object }: Instance,
  { least, leasts, accepted }: Filter,
): boolean =>
  prompt === null || accepted?.has(object) === true || confidence >= (leasts.get(prompt) ?? least);

/** The confidence, in whole percent, from which on all are shown; 0 without one. */
export const lowestOf = (confidences: readonly number[]): number =>
  confidences.length === 0 ? 0 : Math.floor(Math.min(...confidences) * 100) / 100;

/** Tells whether an instance's mask is shown. */
export const isShown = (instance: Instance, filter: Filter): boolean =>
  isConfident(instance, filter) && !filter.hidden.has(instance.object);

/** Instances by their labels, in the prompts' order; a prompt without any has an empty group. Those without a label come last. */
export function grouped(instances: readonly Instance[], prompts: readonly string[]): readonly Group[] {
  const all: (string | null)[] = [...prompts];
  for (const { label } of instances) if (label !== null && !all.includes(label)) all.push(label);
  if (instances.some(({ label }) => label === null)) all.push(null);
  return all.map((label) => ({
    label,
    instances: instances.filter((instance) => instance.label === label),
  }));
}

/** Hides objects that are shown, or shows them all if none of them is. */
export function toggled(hidden: ReadonlySet<string>, objects: readonly string[]): ReadonlySet<string> {
  const next = new Set(hidden);
  const hide = objects.some((object) => !hidden.has(object));
  for (const object of objects)
    if (hide) next.add(object);
    else next.delete(object);
  return next;
}

/**
 * Returns the object that a stroke paints: the one whose mask it begins on, or else the only one, or the last that was pointed at,
 * because what is missing of a mask is next to it.
 */
export const paintedAt = (all: readonly Instance[], mask: string | null): Instance | undefined =>
  all.find(({ id }) => id === mask) ??
  (all.length === 1 ? all[0] : all.findLast(({ prompt }) => prompt === null));
