/** The longest wait that a client may ask for, seconds. */
export const MOST_WAIT_SECONDS = 60;

/** The preferences of a header: what stands between commas that are in no quoted text. */
const PREFERENCES = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const WAIT = /^\s*wait\s*(?:[=;]|$)/i;
const WAIT_VALUE = /^[^=;]*=\s*("?)(\d+)\1\s*(?:;|$)/;

/**
 * How many seconds a client would rather wait for the end than be answered at once, by its header Prefer (RFC 7240, 2 and 4.3):
 * from 1 to 60, where a larger number counts as 60. Null without such a preference, or with one that is no number from 1 on. The
 * first preference of this name counts.
 */
export function waitSeconds(prefer: string | undefined): number | null {
  const preference = prefer?.match(PREFERENCES)?.find((text) => WAIT.test(text));
  const seconds = Number(preference === undefined ? 0 : WAIT_VALUE.exec(preference)?.[2]);
  return seconds >= 1 ? Math.min(seconds, MOST_WAIT_SECONDS) : null;
}
