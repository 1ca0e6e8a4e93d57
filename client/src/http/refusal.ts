import type { ErrorObject } from "../schemas.ts";
import { isErrorCode, SegmentationError } from "../errors.ts";

/** The number of seconds in Retry-After, which has a number or a date. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

function parse(text: string): Partial<ErrorObject> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** The error that an answer of the service tells; a proxy's page becomes `unreadable_answer`. */
export async function refusal(response: Response): Promise<SegmentationError> {
  const { status, headers } = response;
  const text = await response.text();
  const { error, message, ...hints } = parse(text);
  return new SegmentationError(
    isErrorCode(error) ? error : "unreadable_answer",
    message ?? `The service answered ${status}, without an error object: ${text.slice(0, 200)}`,
    {
      ...hints,
      status,
      requestId: headers.get("x-request-id") ?? undefined,
      retryAfterSeconds: hints.retryAfterSeconds ?? retryAfter(headers),
    },
  );
}

/** The error that object storage tells: it answers in XML, which is cited. */
export async function storageRefusal(response: Response): Promise<SegmentationError> {
  const { status, headers } = response;
  const text = await response.text();
  return new SegmentationError(
    "storage_refused",
    `The storage refused the file with status ${status}. Try again. It answered: ${text.slice(0, 200)}`,
    { status, retryAfterSeconds: retryAfter(headers) },
  );
}
