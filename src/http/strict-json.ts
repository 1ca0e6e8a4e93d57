import { cutText } from "@segmentation/protocol";
import { Tokenizer, TokenType } from "@streamparser/json";
import { ServiceError } from "../core/errors.ts";

/** The API's deepest body has 4 levels. */
const MOST_LEVELS = 16;
/** How many characters of a client's own text an error may quote. */
const MOST_QUOTED = 40;

const BYTE_ORDER_MARK = "\uFEFF";

const refusal = (reason: string): ServiceError => new ServiceError("invalid_json", reason);

/** A client's own text, quoted and cut to a bound. */
export const quoted = (name: string): string => JSON.stringify(cutText(name, MOST_QUOTED));

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refusal("The body is not valid UTF-8. Send JSON encoded as UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/ is not valid JSON$/, "") : "";
    throw refusal(`The body is not valid JSON: ${cutText(reason, 4 * MOST_QUOTED)}.`);
  }
}

/** Refuses what JSON.parse accepts: two values for one key (it keeps the last), unpaired surrogates, numbers that become infinite. */
function refuseAmbiguity(bytes: Uint8Array): void {
  /** The open objects and arrays, the innermost last; an object is represented by its keys so far. */
  const open: (Set<string> | null)[] = [];
  let isKeyNext = false;
  const tokenizer = new Tokenizer();
  tokenizer.onError = (error) => {
    throw error instanceof ServiceError ? error : refusal("The body is not valid JSON.");
  };
  tokenizer.onToken = ({ token, value }) => {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      if (open.length === MOST_LEVELS) {
        throw refusal(`The body is nested more than ${MOST_LEVELS} levels deep.`);
      }
      isKeyNext = token === TokenType.LEFT_BRACE;
      open.push(isKeyNext ? new Set() : null);
    } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) {
      isKeyNext = false;
      open.pop();
    } else if (token === TokenType.COMMA) {
      isKeyNext = open.at(-1) instanceof Set;
    } else if (typeof value === "number" && !Number.isFinite(value)) {
      throw refusal("A number in the body is too large for a 64-bit float.");
    } else if (token === TokenType.STRING && typeof value === "string") {
      if (!value.isWellFormed())
        throw refusal("A string in the body has an unpaired surrogate (half of a character).");
      if (!isKeyNext) return;
      isKeyNext = false;
      const keys = open.at(-1);
      if (keys?.has(value))
        throw refusal(`The key ${quoted(value)} appears twice in one object. Send each key once.`);
      keys?.add(value);
    }
  };
  tokenizer.write(bytes);
}

/**
 * A body's value. Refuses one that is not JSON, or that two readers could understand differently: the rules of I-JSON (RFC 7493, 2).
 * @throws ServiceError invalid_json, with what is wrong.
 */
export function strictJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text === "") throw refusal("The body is empty. Send a JSON object.");
  if (text.startsWith(BYTE_ORDER_MARK)) {
    throw refusal("The body starts with a byte order mark. Send it without one.");
  }
  const value = parse(text);
  refuseAmbiguity(bytes);
  return value;
}
