import type { ModelDescription, TaskRequest } from "@segmentation/protocol";
import { fittest } from "../../models/rules/serves.ts";

/** A connected worker at the moment of an offer. */
export interface Candidate {
  readonly name: string;
  readonly model: ModelDescription;
  /** Tasks that it can process at the same time. */
  readonly places: number;
  /** Tasks that it has. */
  readonly held: number;
}

/** Returns the workers by their load, the idlest first. */
export const byLoad = <Worker extends Candidate>(workers: readonly Worker[]): Worker[] =>
  workers.toSorted((a, b) => a.held / a.places - b.held / b.places);

/**
 * Returns the workers to offer a task to, in order: of those whose model has most of what it asks for, the one that has the
 * picture's features, then the idlest.
 * @param familiar the worker that last had the picture
 */
export function inOrder<Worker extends Candidate>(
  workers: readonly Worker[],
  task: TaskRequest,
  familiar: string | null,
): Worker[] {
  const ordered = byLoad(fittest(workers, task));
  return [
    ...ordered.filter(({ name }) => name === familiar),
    ...ordered.filter(({ name }) => name !== familiar),
  ];
}
