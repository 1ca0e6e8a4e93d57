import type { ErrorObject } from "../schemas.ts";
import { invalidInput, isErrorCode, SegmentationError } from "../errors.ts";
import { parseUrl } from "./url.ts";

/** The number of seconds in Retry-After, which has a number or a date. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

/** The version in an ETag, which a proxy may have made weak. */
function versionIn(etag: string | null): number | undefined {
  const digits = /^(?:W\/)?"(\d+)"$/.exec(etag ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The error of a request that was answered with a redirect, or whose redirect the caller's `fetch` has followed;
 * undefined for other answers. It names the target without its query, which may be secret.
 */
export function redirection(
  response: Response,
  baseUrl: string,
  path: string,
): SegmentationError | undefined {
  const { status, headers, redirected, type, url } = response;
  // A browser hides the target of a redirect.
  if (!REDIRECTS.has(status) && !redirected && type !== "opaqueredirect") return undefined;
  const location = redirected ? url : (headers.get("location") ?? "");
  const target = parseUrl(location, baseUrl + path);
  const [ownPath = ""] = path.split("?");
  const where = target && target.origin + target.pathname;
  const address = where?.endsWith(ownPath) ? where.slice(0, -ownPath.length) : where;
  return invalidInput(
    address === undefined
      ? `The address ${baseUrl} redirects to another one. Use that one.`
      : `The address ${baseUrl} redirects to ${address}. Use that one.`,
    { status, requestId: headers.get("x-request-id") ?? undefined },
  );
}

/** A body: its JSON, or its text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The beginning of an answer's text, not cut within a character. */
const beginning = (text: string): string => Array.from(text.slice(0, 400)).slice(0, 200).join("");

/** The error in an answer of the service; a proxy's page becomes `unreadable_answer`. */
export async function refusal(response: Response): Promise<SegmentationError> {
  const { status, headers } = response;
  const text = await response.text();
  const body = parse(text);
  const { error, message, ...hints }: Partial<ErrorObject> = Object(body);
  // An answer may have more fields than the contract: they are in the body only.
  const { remainingTokens, requestedTokens, expiresAt, activeJobId, upgradeUrl } = hints;
  return new SegmentationError(
    isErrorCode(error) ? error : "unreadable_answer",
    message ?? `The service answered ${status} without an error object: ${beginning(text)}`,
    {
      status,
      requestId: headers.get("x-request-id") ?? undefined,
      body,
      retryAfterSeconds: hints.retryAfterSeconds ?? retryAfter(headers),
      remainingTokens,
      requestedTokens,
      expiresAt,
      activeJobId,
      upgradeUrl,
      currentVersion: status === 412 ? versionIn(headers.get("etag")) : undefined,
    },
  );
}

/** The error in an answer of object storage; it quotes the XML. */
export async function storageRefusal(response: Response): Promise<SegmentationError> {
  const { status, headers } = response;
  const text = await response.text();
  return new SegmentationError(
    "storage_refused",
    `The storage refused the file with status ${status}. Try again. It answered: ${beginning(text)}`,
    { status, body: text, retryAfterSeconds: retryAfter(headers) },
  );
}
