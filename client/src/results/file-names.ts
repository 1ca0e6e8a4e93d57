/**
 * Names of files that every common file system takes, and keeps apart where it ignores case and normalization. The Python client
 * has the same rule; `client/test/cases/file-names.json` is what both have to do.
 */

/** Bytes of a name in UTF-8. File systems take 255; up to 15 are appended, as in `.json.part`. */
const MOST_BYTES = 240;
/** A longer ending is a part of the name that may be cut. */
const MOST_EXTENSION_BYTES = 16;

/** Refused by Windows, or the end of a name elsewhere. */
// oxlint-disable-next-line no-control-regex
const REFUSED = /[\u0000-\u001f\u007f<>:"/\\|?*]/g;
/** Devices of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$) *(?:\.|$)/i;
/** Belongs to the character before it. */
const JOINED = /^(?:\p{M}|\p{Emoji_Modifier}|\u200d)$/u;

/** A file's name without its last extension, and that extension with its dot. */
function parts(name: string): readonly [stem: string, extension: string] {
  const [, stem = "", extension = ""] = /^(.*?)(\.[^.]*)?$/s.exec(name) ?? [];
  return stem === "" ? [extension, ""] : [stem, extension];
}

/** A file's name without its last extension. */
export const stemOf = (name: string): string => parts(name)[0];

/** The name of the file at a URL's path: its last part, decoded; undefined if the path ends with a slash. */
export function nameOfPath(path: string): string | undefined {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const decoded = path.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) =>
    decoder.decode(Uint8Array.from(bytes.slice(1).split("%"), (byte) => parseInt(byte, 16))),
  );
  return decoded.split("/").pop() || undefined;
}

/** Names for the files of one folder, by any ids: no two the same, and none that leads elsewhere. */
export function uniqueNames(names: ReadonlyMap<string, string>): Map<string, string> {
  const unique = new FileNames();
  return new Map([...names].map(([id, name]) => [id, unique.take(name.replaceAll("/", "_"), id)]));
}

/** Gives names to files; a name that is given is never given again. */
export class FileNames {
  /** By the name as a file system compares it, the number that was last given to it. */
  readonly #taken: Map<string, number>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Map(Array.from(taken, (name) => [comparable(name), 1]));
  }

  /**
   * The name that is wanted, as files can have it, with a number if it is taken.
   * @param wanted a name, or a path with slashes @param otherwise for a name of which nothing is left
   */
  take(wanted: string, otherwise = ""): string {
    const folders = wanted.split("/");
    const last = folders.pop() ?? "";
    const path = folders.map((folder) => `${safe(folder) || "_"}/`).join("");
    const name = safe(last) || safe(otherwise) || "_";
    const first = comparable(path + name);
    let [number, unique] = [this.#taken.get(first) ?? 0, path + name];
    while (this.#taken.has(comparable(unique))) unique = path + fitting(name, `-${++number}`);
    this.#taken.set(comparable(unique), 1);
    this.#taken.set(first, Math.max(number, 1));
    return unique;
  }
}

/** Returns true if `FileNames` may give this path. */
export const isSafe = (path: string): boolean =>
  path.split("/").every((name) => name !== "" && safe(name) === name);

/** A name as file systems compare names that ignore case and normalization. */
const comparable = (name: string): string =>
  name.normalize("NFC").toLowerCase().toUpperCase().normalize("NFC");

/** A name that files can have, or nothing. */
function safe(name: string): string {
  const legal = name
    .replaceAll(/\p{Surrogate}/gu, "\ufffd")
    .replaceAll(REFUSED, "_")
    .replace(/[. ]+$/, "")
    .replace(/^\.+/, "_");
  return fitting(RESERVED.test(legal) ? `_${legal}` : legal, "");
}

/** A name with a suffix before its extension, cut to the most bytes. */
function fitting(name: string, suffix: string): string {
  // A UTF-16 unit has at most three bytes.
  if (suffix === "" && 3 * name.length <= MOST_BYTES) return name;
  const [stem, ending] = parts(name);
  const isExtension = bytesOf(ending) <= MOST_EXTENSION_BYTES;
  const [text, extension] = isExtension ? [stem, ending] : [name, ""];
  const start = cut(text, MOST_BYTES - bytesOf(suffix + extension));
  return (suffix + extension === "" ? start.replace(/[. ]+$/, "") : start) + suffix + extension;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Longest prefix of a string within a number of bytes that splits no character, unless a single character has more. */
function cut(text: string, most: number): string {
  let [bytes, end, whole, before] = [0, 0, 0, ""];
  for (const point of text) {
    if (before !== "\u200d" && !JOINED.test(point)) whole = end;
    bytes += bytesOf(point);
    if (bytes > most) return text.slice(0, whole || end);
    end += point.length;
    before = point;
  }
  return text;
}
