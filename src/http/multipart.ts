import { ServiceError } from "../shared/errors.ts";

/** Maximum bytes of a part's headers. */
const MOST_HEADER_BYTES = 8_192;
const CRLF = [0x0d, 0x0a] as const;

/** One field of a form. */
export interface FormPart {
  readonly name: string;
  /** The content type that its headers declare; null if they declare none. */
  readonly contentType: string | null;
  /** Returns the next bytes of its value; null after the last. */
  readonly read: () => Promise<Uint8Array | null>;
}

const malformed = (reason: string): ServiceError =>
  new ServiceError("invalid_request", `The form is not multipart/form-data: ${reason}.`);

/** Returns the boundary that a Content-Type names; null for any other type than multipart/form-data. */
export function boundaryOf(contentType = ""): string | null {
  const [type = "", ...parameters] = contentType.split(";");
  if (type.trim().toLowerCase() !== "multipart/form-data") return null;
  const named = /^\s*boundary\s*=\s*(?:"([^"\r\n]{1,70})"|([^\s"]{1,70}))\s*$/i;
  const match = parameters.map((parameter) => named.exec(parameter)).find((each) => each !== null);
  if (match === undefined) throw malformed("its Content-Type has no boundary");
  return match[1] ?? match[2] ?? "";
}

/**
 * Reads a form (RFC 7578) as its bytes arrive. Holds one chunk and a delimiter at a time, however large the parts are, and takes
 * time in proportion to the form's length.
 */
export class MultipartReader {
  readonly #next: () => Promise<Uint8Array | null>;
  readonly #delimiter: Uint8Array;
  /** By the byte behind a place where the delimiter is not: the distance to the next place where it may be. */
  readonly #shift: Uint8Array;
  /** The bytes that have arrived and are not read. The first delimiter may lack the line break before it. */
  #held: Uint8Array = new Uint8Array(CRLF);
  /** True between a part's headers and the delimiter behind it; also before the first part, whose preamble is ignored. */
  #isInPart = true;

  /** @param next returns the form's next bytes; null after the last */
  constructor(next: () => Promise<Uint8Array | null>, boundary: string) {
    this.#next = next;
    this.#delimiter = new Uint8Array([...CRLF, ...new TextEncoder().encode(`--${boundary}`)]);
    const { length } = this.#delimiter;
    this.#shift = new Uint8Array(256).fill(length + 1);
    for (const [at, byte] of this.#delimiter.entries()) this.#shift[byte] = length - at;
  }

  /** Returns the next part, and skips the rest of the one before; null after the last. @throws ServiceError invalid_request. */
  async part(): Promise<FormPart | null> {
    while ((await this.#read()) !== null);
    const rest = await this.#line();
    if (rest.startsWith("--")) return null;
    if (rest.trim() !== "") throw malformed("its boundary is in a part");
    const headers = new Headers();
    let bytes = 0;
    for (let line = await this.#line(); line !== ""; line = await this.#line()) {
      bytes += line.length;
      const colon = line.indexOf(":");
      if (bytes > MOST_HEADER_BYTES || colon < 1)
        throw malformed("a part's headers are too long, or no headers");
      add(headers, line.slice(0, colon), line.slice(colon + 1));
    }
    this.#isInPart = true;
    const encoding = headers.get("content-transfer-encoding") ?? "binary";
    if (!/^(?:7bit|8bit|binary)$/i.test(encoding)) throw malformed("a part has a Content-Transfer-Encoding");
    return {
      name: nameOf(headers.get("content-disposition") ?? ""),
      contentType: headers.get("content-type"),
      read: () => this.#read(),
    };
  }

  /** Returns the next bytes of the current part; null at its end. */
  async #read(): Promise<Uint8Array | null> {
    if (!this.#isInPart) return null;
    const { length } = this.#delimiter;
    for (;;) {
      const at = this.#indexOfDelimiter();
      const certain = at === -1 ? Math.max(0, this.#held.length - length + 1) : at;
      const value = this.#held.subarray(0, certain);
      if (at !== -1) {
        this.#held = this.#held.subarray(at + length);
        this.#isInPart = false;
        return value.length === 0 ? null : value;
      }
      this.#held = this.#held.subarray(certain);
      if (value.length > 0) return value;
      await this.#receive();
    }
  }

  /** Returns the place of the first delimiter in the held bytes, or -1: Sunday's search, which compares from the first byte. */
  #indexOfDelimiter(): number {
    const [held, delimiter, shift] = [this.#held, this.#delimiter, this.#shift];
    const { length } = delimiter;
    for (let at = 0; at + length <= held.length;) {
      let matching = 0;
      while (matching < length && held[at + matching] === delimiter[matching]) matching++;
      if (matching === length) return at;
      at += shift[held[at + length] ?? 0] ?? 1;
    }
    return -1;
  }

  /** Returns the text up to the next line break, and reads past that. */
  async #line(): Promise<string> {
    for (let from = 0; ;) {
      const end = this.#held.indexOf(CRLF[0], from);
      if (end !== -1 && end + 1 < this.#held.length) {
        if (this.#held[end + 1] === CRLF[1]) {
          const line = new TextDecoder().decode(this.#held.subarray(0, end));
          this.#held = this.#held.subarray(end + 2);
          return line;
        }
        from = end + 1;
        continue;
      }
      // The last delimiter needs no line break.
      if (this.#held.length >= 2 && this.#held[0] === 0x2d && this.#held[1] === 0x2d) return "--";
      if (this.#held.length > MOST_HEADER_BYTES) throw malformed("a part's headers are too long");
      await this.#receive();
    }
  }

  async #receive(): Promise<void> {
    const bytes = await this.#next();
    if (bytes === null) throw malformed("it ends before its last boundary");
    const joined = new Uint8Array(this.#held.length + bytes.length);
    joined.set(this.#held);
    joined.set(bytes, this.#held.length);
    this.#held = joined;
  }
}

function add(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name.trim(), value.trim());
  } catch {
    throw malformed("a part has headers that are none");
  }
}

/** A parameter of a Content-Disposition, whose value may be quoted. */
const PARAMETER = /\s*;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;

/** Returns the field's name of a Content-Disposition: browsers and curl escape quotation marks, each in its way. */
function nameOf(disposition: string): string {
  const [type = ""] = disposition.split(";", 1);
  PARAMETER.lastIndex = type.length;
  while (type.trim().toLowerCase() === "form-data") {
    const [, name = "", quotedValue, plain = ""] = PARAMETER.exec(disposition) ?? [];
    if (name === "") break;
    if (name.toLowerCase() !== "name") continue;
    return quotedValue === undefined ? plain : quotedValue.replaceAll(/\\(.)/g, "$1").replaceAll("%22", '"');
  }
  throw malformed("a part has no name");
}
