/** One object of a picture that a job has found. */
export interface Instance {
  /** Job, task and mask in one. */
  readonly id: string;
  /** The prompt that it answers; null if it was pointed at. */
  readonly prompt: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** Its place among those of its prompt, from 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly png: Blob;
}

/** Which of a picture's instances are shown. */
interface Filter {
  /** Instances of a prompt with a lower confidence are hidden. What was pointed at is shown at any. */
  readonly least: number;
  /** The ids of hidden instances. */
  readonly hidden: ReadonlySet<string>;
}

/** The instances of one prompt, or those that were pointed at. */
export interface Group {
  readonly prompt: string | null;
  readonly instances: readonly Instance[];
}

/** What a person calls an instance. */
export const nameOf = ({ prompt, number }: Instance): string => `${prompt ?? "Object"} ${number}`;

/** Whether the confidence suffices. */
export const isConfident = ({ prompt, confidence }: Instance, { least }: Filter): boolean =>
  prompt === null || confidence >= least;

/** The confidence, in whole percent, from which on all are shown; 0 of none. */
export const lowestOf = (confidences: readonly number[]): number =>
  confidences.length === 0 ? 0 : Math.floor(Math.min(...confidences) * 100) / 100;

/** Whether an instance's mask is shown. */
export const isShown = (instance: Instance, filter: Filter): boolean =>
  isConfident(instance, filter) && !filter.hidden.has(instance.id);

/** Instances by their prompts, in the prompts' order; a prompt without any has an empty group. Those that were pointed at come last. */
export function grouped(instances: readonly Instance[], prompts: readonly string[]): readonly Group[] {
  const all: (string | null)[] = [...prompts];
  for (const { prompt } of instances) if (prompt !== null && !all.includes(prompt)) all.push(prompt);
  if (instances.some(({ prompt }) => prompt === null)) all.push(null);
  return all.map((prompt) => ({
    prompt,
    instances: instances.filter((instance) => instance.prompt === prompt),
  }));
}

/** Hides instances that are shown, or shows them all if none of them is. */
export function toggled(hidden: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  const next = new Set(hidden);
  const hide = ids.some((id) => !hidden.has(id));
  for (const id of ids)
    if (hide) next.add(id);
    else next.delete(id);
  return next;
}
