import type { IncomingMessage } from "node:http";
import type { BucketEvent } from "../../../src/uploads/rules/bucket-event.ts";

/** Its consumer in wrangler.toml takes the bucket's events. */
export const UPLOADS_QUEUE = "segmentation-uploads";

/** The path at which a local stack's Worker takes an event of its bucket, with the key of the process that sends them. */
export const EVENT_PATH = "/internal/bucket-events";
export const EVENT_KEY_HEADER = "x-bucket-events-key";

const S3_PATH = "/cdn-cgi/local/r2/s3/";

/** A message like R2's: the parts that the Worker reads, and the others. */
interface SentEvent extends BucketEvent {
  readonly account: string;
  readonly object: BucketEvent["object"] & { readonly eTag: string };
}

/**
 * Returns R2's message about a request to the local storage: about an object that was PUT under `inputs/`, by the rule in
 * docs/operations/deploy.md. Null for any other request, and if storage refused it.
 * @param now epoch ms
 */
export function storedEvent(
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  { statusCode, headers: answer }: Pick<IncomingMessage, "statusCode" | "headers">,
  now: number,
): SentEvent | null {
  const { pathname, searchParams } = new URL(url, "http://storage");
  // A part of an upload is not an object. The Worker completes the upload by its binding, outside of this request; its size is
  // signed.
  if (searchParams.has("uploadId")) return null;
  if (method !== "PUT" || statusCode !== 200 || !pathname.startsWith(S3_PATH)) return null;
  const [bucket = "", ...rest] = decodeURIComponent(pathname.slice(S3_PATH.length)).split("/");
  const key = rest.join("/");
  // R2 refuses a body of unknown length; the local storage takes it, and its size is unknown here.
  if (!key.startsWith("inputs/") || headers["content-length"] === undefined) return null;
  return {
    account: "local",
    bucket,
    action: "PutObject",
    object: {
      key,
      size: Number(headers["content-length"]),
      eTag: (answer.etag ?? "").replaceAll('"', ""),
    },
    eventTime: new Date(now).toISOString(),
  };
}
