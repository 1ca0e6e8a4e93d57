import { ServiceError } from "../shared/errors.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The longest escape of a character in JSON: \uXXXX. */
const LONGEST_ESCAPE = 6;
const CHUNK_BYTES = 96 * 1_024;

const refusal = (): ServiceError =>
  new ServiceError("invalid_request", "The picture is not in base64. Encode the file's bytes.");

/** Returns the end of a chunk that begins at `from`, not within an escape. */
function endOfChunk(json: Uint8Array, from: number, to: number): number {
  const end = Math.min(from + CHUNK_BYTES, to);
  if (end === to) return to;
  const escape = json.subarray(end - LONGEST_ESCAPE, end).indexOf(BACKSLASH);
  return escape === -1 ? end : end - LONGEST_ESCAPE + escape;
}

/**
 * Decodes a JSON string with a picture in base64, or as a `data:` URL, in the string's own memory: memory would otherwise hold a
 * picture of 15 MB twice. Null if there is no string, or an empty one.
 * @throws ServiceError invalid_request.
 */
export function pictureIn(json: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  const [start, to] = [json.indexOf(QUOTE) + 1, json.lastIndexOf(QUOTE)];
  if (start === 0 || to <= start) return null;
  const decoder = new TextDecoder("latin1");
  let length = 0;
  let rest = "";
  for (let from = start; from < to;) {
    const end = endOfChunk(json, from, to);
    let text = decoder.decode(json.subarray(from, end));
    if (from === start) text = text.replace(/^data:[^,]{0,200};base64,/i, "");
    text = rest + unescaped(text).replace(/\s+/g, "");
    // Four characters are three bytes: the writing never reaches the unread part.
    const whole = end === to ? text.length : text.length - (text.length % 4);
    rest = text.slice(whole);
    length += decodeInto(json, length, text.slice(0, whole));
    from = end;
  }
  return json.subarray(0, length);
}

function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    throw refusal();
  }
}

function decodeInto(bytes: Uint8Array, at: number, base64: string): number {
  try {
    const binary = atob(base64);
    for (let i = 0; i < binary.length; i++) bytes[at + i] = binary.charCodeAt(i);
    return binary.length;
  } catch {
    throw refusal();
  }
}
