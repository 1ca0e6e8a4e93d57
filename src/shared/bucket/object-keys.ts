/** The keys of the objects in the bucket. Only this file builds them. */

/** The prefixes of all of an account's objects. */
export const accountPrefixes = (accountId: string): readonly string[] =>
  ["inputs", "outputs", "archives"].map((kind) => `${kind}/${accountId}/`);

/** The key of an upload. */
export const inputKey = (accountId: string, taskId: string): string => `inputs/${accountId}/${taskId}`;

/** Returns the upload of a key; null for any other object's key. */
export function inputOf(key: string): { readonly accountId: string; readonly taskId: string } | null {
  const [kind, accountId, taskId, ...rest] = key.split("/");
  if (kind !== "inputs" || !accountId || !taskId || rest.length > 0) return null;
  return { accountId, taskId };
}

/** The prefix of the outputs of all of a job's tasks, under any lease. */
export const outputsPrefix = (accountId: string, jobId: string): string => `outputs/${accountId}/${jobId}/`;

/** The key of an output. It contains the lease, so a late holder of an older lease cannot overwrite it. */
export const outputKey = (
  job: { accountId: string; jobId: string },
  taskId: string,
  lease: number,
  name: string,
): string => `${outputsPrefix(job.accountId, job.jobId)}${taskId}/${lease}/${name}`;

/** The key of a model's decoder, which belongs to no account. */
export const decoderKey = (sha256: string): string => `decoders/${sha256}.onnx`;

/** The prefix of all archives of a job. */
export const archivesPrefix = (accountId: string, jobId: string): string => `archives/${accountId}/${jobId}/`;

/** The key of the archive that the holder of this lease writes. */
export const archiveKey = (accountId: string, jobId: string, lease: number): string =>
  `${archivesPrefix(accountId, jobId)}${lease}.zip`;
