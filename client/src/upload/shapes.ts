import { can, has, tagOf } from "../http/shapes.ts";
import { parseUrl } from "../http/url.ts";

/** A Blob or File of the platform or of a package. */
export interface BlobLike {
  readonly size: number;
  readonly type: string;
  readonly name?: string | undefined;
  arrayBuffer(): Promise<ArrayBuffer>;
  slice(start?: number, end?: number, type?: string): unknown;
}

/** A file that Node has opened. */
export interface FileHandleLike {
  readonly fd: number;
  createReadStream(options: {
    readonly start: number;
    readonly autoClose: boolean;
  }): AsyncIterable<Uint8Array>;
}

export const isUrl = (value: unknown): value is URL =>
  tagOf(value) === "URL" && has(value, "href") && parseUrl(String(value.href)) !== undefined;

export const isBlob = (value: unknown): value is BlobLike =>
  has(value, "size", "type") &&
  typeof value.size === "number" &&
  can(value, "slice") &&
  can(value, "arrayBuffer");

export const isFileHandle = (value: unknown): value is FileHandleLike =>
  has(value, "fd") && can(value, "createReadStream");

/** Fields in which upload middleware and file systems keep a file. */
const FILE_FIELDS = [
  "buffer",
  "file",
  "stream",
  "readable",
  "body",
  "Body",
  "data",
  "blob",
  "path",
  "filepath",
];

/** Describes a value that is no input, and the way to turn it into one. */
export function describeMisfit(value: unknown): string {
  if (value === null || value === undefined) return `${value} is not a file.`;
  if (typeof value === "function") return "A function is not a file. Call it, and give what it returns.";
  if (typeof value !== "object") return `A ${typeof value} is not a file.`;
  const tag = tagOf(value);
  const name = tag === "Object" ? (value.constructor?.name ?? "Object") : tag;
  if (Array.isArray(value)) return "An array is not a file. Give several files to segment as one array.";
  if ("then" in value) return `A ${name} is not a file. Await it first.`;
  if (Symbol.iterator in value)
    return `A ${name} is not a file. Give several files to segment as [...files].`;
  const field = FILE_FIELDS.find((each) => has(value, each) && value[each]);
  const keys = Object.keys(value).slice(0, 5).join(", ");
  const what = name === "Object" ? `An object with ${keys === "" ? "no fields" : keys}` : `A ${name}`;
  return `${what} is not a file.${field === undefined ? "" : ` Give its ${field}.`}`;
}
