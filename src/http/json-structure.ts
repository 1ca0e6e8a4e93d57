import { ServiceError } from "../shared/errors.ts";

/** The API's deepest body has 4 levels. */
const MOST_LEVELS = 16;
/** The largest report of the inference service has some 60,000. */
const MOST_VALUES = 100_000;

/** A value to set aside: the keys that lead to it ("" for an item of an array), and its position. */
export interface SetAside {
  readonly path: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Selects the values to set aside. `object` is the start of the object that has the key; `first` is the value's first byte. */
export type IsSetAside = (path: readonly string[], first: number, object: number) => boolean;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/** Returns the end of the string that begins at `at`. */
function endOfString(bytes: Uint8Array, at: number): number {
  for (let end = at + 1; end < bytes.length; end++) {
    if (bytes[end] === QUOTE) return end;
    if (bytes[end] === BACKSLASH) end++;
  }
  return bytes.length;
}

function keyAt(bytes: Uint8Array, from: number, to: number): string {
  const text = new TextDecoder().decode(bytes.subarray(from, to + 1));
  if (!text.includes("\\")) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/**
 * Measures the size of JSON as a value before it is parsed: three bytes can become thirty. Values set aside count only by their
 * levels. A string that is not JSON may pass.
 * @throws ServiceError invalid_json for too many levels; body_too_large for too many values.
 */
export function structureOf(
  bytes: Uint8Array,
  isSetAside?: IsSetAside,
): { readonly keys: number; readonly aside: readonly SetAside[] } {
  /** The starts of the open arrays and objects, and the current key or item in each. */
  const open: number[] = [];
  const names: string[] = [];
  const aside: SetAside[] = [];
  let [keys, values] = [0, 1];
  let [keyFrom, keyTo] = [0, 0];
  /** The value that is being set aside, and its level. */
  let current: { path: readonly string[]; from: number; level: number } | null = null;
  const endAt = (at: number): void => {
    if (current !== null) aside.push({ path: current.path, from: current.from, to: at });
    current = null;
  };
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    switch (byte) {
      case QUOTE:
        keyFrom = at;
        at = keyTo = endOfString(bytes, at);
        continue;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (open.length === MOST_LEVELS)
          throw new ServiceError("invalid_json", `The body is nested more than ${MOST_LEVELS} levels deep.`);
        open.push(at);
        names[open.length - 1] = "";
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        open.pop();
        if (current !== null && open.length < current.level) endAt(at);
        continue;
      case COMMA:
        if (current !== null && open.length === current.level) endAt(at);
        break;
      case COLON: {
        if (current !== null) continue;
        keys++;
        if (isSetAside === undefined) continue;
        const level = open.length;
        names[level - 1] = keyAt(bytes, keyFrom, keyTo);
        const path = names.slice(0, level);
        let first = at + 1;
        while ((bytes[first] ?? 0) <= SPACE && first < bytes.length) first++;
        if (isSetAside(path, bytes[first] ?? 0, open[level - 1] ?? 0))
          current = { path, from: at + 1, level };
        continue;
      }
      default:
        continue;
    }
    if (current === null && ++values > MOST_VALUES)
      throw new ServiceError("body_too_large", `The body has more than ${MOST_VALUES} values. Send fewer.`);
  }
  return { keys, aside };
}
