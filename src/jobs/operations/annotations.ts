import { isoOrNull } from "../../shared/api/primitives.ts";
import { ServiceError } from "../../shared/errors.ts";
import { MOST_ANNOTATION_BYTES, type SavedAnnotations } from "../contract/annotations.ts";
import { etagOf, versionOf, type StoredAnnotations } from "../rules/annotations.ts";
import { boundAccount } from "../../accounts/operations/authenticate.ts";
import type { OperationRequest } from "../../operation-request.ts";
import { jobObjectOf } from "./jobs.ts";

/** Bytes of annotations that count as one request of the account's rate. */
const BYTES_PER_REQUEST = 256 * 1024;

/** The document of a job without annotations. */
const NO_ANNOTATIONS = new TextEncoder().encode(
  JSON.stringify({ format: 1, classes: [], nextClassId: 1, searches: [], tasks: [] }),
);

const viewOf = (stored: StoredAnnotations | null): SavedAnnotations => ({
  version: stored?.version ?? 0,
  updatedAt: isoOrNull(stored?.updatedAt ?? null),
});

/**
 * retrieveJobAnnotations: a JobAnnotations as JSON, and its version. By a link only if its share says so.
 * @throws ServiceError job_not_found, annotations_not_shared.
 */
export async function retrieveJobAnnotations({
  platform,
  account: { accountId },
  jobId,
  linkDigest,
}: OperationRequest<"retrieveJobAnnotations">): Promise<{ readonly version: number; readonly json: string }> {
  if (linkDigest !== undefined) {
    const share = await platform.shares.find(accountId, jobId, Date.now(), linkDigest);
    if (share?.showAnnotations !== true) throw new ServiceError("annotations_not_shared");
  }
  const found = await jobObjectOf(platform, jobId).annotations(accountId);
  if (found === null) throw new ServiceError("job_not_found");
  const { stored } = found;
  const view = viewOf(stored);
  const document = new TextDecoder().decode(stored?.json ?? NO_ANNOTATIONS);
  // Inserts the document as stored: parsing it would take memory for nothing.
  const json = `${JSON.stringify(view).slice(0, -1)},"document":${document}}`;
  return { version: view.version, json };
}

/**
 * replaceJobAnnotations: the new version, or the present one if the document is based on another.
 * @param ifMatch the request's header
 * @throws ServiceError job_not_found, version_required, annotations_refused, body_too_large, rate_limited.
 */
export async function replaceJobAnnotations(
  { platform, account: { accountId }, jobId, body: { document } }: OperationRequest<"replaceJobAnnotations">,
  ifMatch: string | undefined,
): Promise<SavedAnnotations | { readonly conflict: number }> {
  const base = versionOf(ifMatch);
  if (base === null) throw new ServiceError("version_required");
  const json = new TextEncoder().encode(JSON.stringify(document));
  if (json.length > MOST_ANNOTATION_BYTES)
    throw new ServiceError(
      "body_too_large",
      `The document has ${json.length} bytes as JSON; at most ${MOST_ANNOTATION_BYTES} are stored. Leave out recipes, or edit fewer masks.`,
    );
  await boundAccount(platform, accountId, Math.floor(json.length / BYTES_PER_REQUEST));
  const { nextClassId, tasks } = document;
  const taskIds = tasks.map(({ taskId }) => taskId);
  const outcome = await jobObjectOf(platform, jobId).saveAnnotations(accountId, base, {
    json,
    nextClassId,
    taskIds,
  });
  switch (outcome?.at) {
    case undefined:
      throw new ServiceError("job_not_found");
    case "refused":
      throw new ServiceError("annotations_refused", `${outcome.why} Nothing was saved.`);
    case "conflict":
      return { conflict: outcome.version };
    case "saved":
      return viewOf(outcome.annotations);
  }
}

/** The error of a document that is based on another version than the present one. */
export const versionConflict = (version: number): ServiceError =>
  new ServiceError(
    "version_conflict",
    `The annotations have version ${version} by now. Fetch it, apply your changes to it, and send them with \`If-Match: ${etagOf(version)}\`.`,
  );
