import { openAsBlob } from "node:fs";
import type { OutputsGrant } from "@segmentation/protocol";
import type { WrittenFile } from "../messages.ts";
import { taskFailure } from "../failures.ts";
import { backoffMs, discard, isTransient, type Patience, pause, transferMs, within } from "../http-client.ts";

const PARALLEL = 6;

type Upload = OutputsGrant["uploads"][number];

/**
 * Checks that a grant names exactly the requested files, in order, on origins that may be written to.
 * @throws TaskFailure named output_grant_mismatch or storage_origin_refused
 */
export function checkGrant(
  files: readonly WrittenFile[],
  { uploads }: OutputsGrant,
  origins: ReadonlySet<string>,
): void {
  if (uploads.length !== files.length || uploads.some(({ name }, i) => name !== files[i]?.name)) {
    throw taskFailure("output_grant_mismatch");
  }
  const foreign = uploads.find(({ url }) => !origins.has(new URL(url).origin));
  if (foreign !== undefined) throw taskFailure("storage_origin_refused");
}

/**
 * PUTs each file to its signed URL with the granted headers, a few at a time; retries while storage fails.
 * @throws TaskFailure named output_refused, output_redirected or output_unavailable
 */
export async function putOutputs(
  files: readonly WrittenFile[],
  { uploads }: OutputsGrant,
  patience: Patience,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const remaining = files.entries();
  const worker = async (): Promise<void> => {
    for (const [index, file] of remaining) {
      const upload = uploads[index];
      if (upload !== undefined) await putFile(file, upload, patience, either);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(PARALLEL, files.length) }, worker));
  } catch (error) {
    stop.abort();
    throw error;
  }
}

/** PUTs a file to its signed URL with the granted headers; retries while storage fails. @throws as `putOutputs` */
export async function putFile(
  file: Pick<WrittenFile, "path">,
  { url, headers }: Pick<Upload, "url" | "headers">,
  patience: Patience,
  signal: AbortSignal,
): Promise<void> {
  const body = await openAsBlob(file.path);
  for (let attempt = 0; ; attempt++) {
    const status = await tryPut(url, headers, body, signal);
    if (status >= 200 && status < 300) return;
    if (status !== 0 && !isTransient(status)) {
      throw taskFailure("output_refused", { status });
    }
    const delay = backoffMs(attempt);
    if (patience.isOverIn(delay)) {
      throw taskFailure("output_unavailable");
    }
    await pause(delay, signal);
  }
}

/** The answer's status, or 0 if storage can't be reached. @throws TaskFailure named output_redirected */
async function tryPut(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Blob,
  signal: AbortSignal,
): Promise<number> {
  try {
    const response = await fetch(url, {
      method: "PUT",
      // With "manual", undici would buffer the whole body in case of a redirect, even one as large as a video's masks.
      redirect: "error",
      headers,
      body,
      signal: within(transferMs(body.size), signal),
    });
    await discard(response);
    return response.status;
  } catch (error) {
    signal.throwIfAborted();
    if (isRedirect(error)) throw taskFailure("output_redirected");
    return 0;
  }
}

/** True if fetch failed because of a redirect, of which it gives no status. */
const isRedirect = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === "unexpected redirect";
