/** A job's annotations as its JobObject stores them. */
export interface StoredAnnotations {
  readonly version: number;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  readonly nextClassId: number;
  /** The document as JSON in UTF-8: text with a single character beyond Latin-1 would take two bytes for each. */
  readonly json: Uint8Array;
}

/** A document to replace a job's annotations. */
export interface NewAnnotations extends Pick<StoredAnnotations, "nextClassId" | "json"> {
  readonly taskIds: readonly string[];
}

/** The result of saving: the current version, and the reason if it is not the new one. */
export type SaveOutcome =
  | { readonly at: "saved"; readonly annotations: StoredAnnotations }
  | { readonly at: "conflict"; readonly version: number }
  | { readonly at: "refused"; readonly why: string };

/**
 * Returns the result of saving a document: the next version if it is based on the current one. The same document on
 * the current or the previous version changes nothing, so a request can be repeated after a lost answer.
 * @param before null if there are none yet @param base the version on which the document is based
 */
export function savedAnnotations(
  before: StoredAnnotations | null,
  base: number,
  { json, nextClassId, taskIds }: NewAnnotations,
  { jobTasks, now }: { readonly jobTasks: readonly string[]; readonly now: number },
): SaveOutcome {
  const version = before?.version ?? 0;
  if (before !== null && (base === version || base === version - 1) && sameBytes(before.json, json))
    return { at: "saved", annotations: before };
  if (base !== version) return { at: "conflict", version };
  const foreign = taskIds.find((taskId) => !jobTasks.includes(taskId));
  if (foreign !== undefined) return { at: "refused", why: `The job has no task ${foreign}.` };
  if (before !== null && nextClassId < before.nextClassId)
    return {
      at: "refused",
      why: `nextClassId must be at least ${before.nextClassId}, as in version ${version}.`,
    };
  return { at: "saved", annotations: { version: version + 1, updatedAt: now, nextClassId, json } };
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Returns the version that an `If-Match` header names, weak or strong; null if it names none. */
export function versionOf(ifMatch: string | undefined): number | null {
  const digits = ifMatch?.match(/^(?:W\/)?"(\d{1,15})"$/)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Returns the ETag of a version. */
export const etagOf = (version: number): string => `"${version}"`;
