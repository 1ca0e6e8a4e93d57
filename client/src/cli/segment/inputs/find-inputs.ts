import { stat } from "node:fs/promises";
import { basename, extname, relative, resolve, sep } from "node:path";
import { nameOfPath } from "../../../results/file-names.ts";
import { type BucketObject, Buckets, isBucketUrl, placeOf } from "../../bucket/bucket.ts";
import { systemCode, usageFailure } from "../../failure.ts";
import { counted } from "../../progress/words.ts";
import { type Kind, kindOf } from "./media.ts";
import { type LocalPath, walkFolder } from "./walk-folder.ts";

/** A file to segment, or the URL of one. */
export interface Found {
  /** The path from the output folder, by which the journal knows it, or the URL. */
  readonly id: string;
  /** Its location: an absolute path, or somewhere else. */
  readonly from: LocalPath | Remote;
  /** The preferred name of its results: its path below the folder in the argument, with slashes. */
  readonly name: string;
  readonly kind: Kind;
  /** In place of the order's. */
  readonly prompts?: readonly string[];
}

/** A file that the service fetches, if it can. */
export interface Remote {
  /** The journal has it instead of a digest: another version is another file. */
  readonly version: string;
  /** Gives a URL from which it can be fetched now. */
  readonly url: () => Promise<URL>;
}

export const isLocal = (from: Found["from"]): from is LocalPath =>
  typeof from === "string" || Buffer.isBuffer(from);

/** A file at a URL. The command does not fetch it to detect a change. */
export const atUrl = (url: URL): Remote => ({ version: "", url: () => Promise.resolve(url) });

/** An object of the user's bucket. */
export const inBucket = (buckets: Buckets, bucket: string, { key, etag }: BucketObject): Remote => ({
  version: etag,
  url: () => buckets.signedUrl(bucket, key),
});

export interface FoundInputs {
  readonly inputs: readonly Found[];
  readonly leftOut: LeftOut;
}

/** Files in folders that are not segmented because no argument named them. */
export interface LeftOut {
  readonly clips: number;
  /** Other files, by their extensions in lower case. */
  readonly others: ReadonlyMap<string, number>;
}

/**
 * Finds the inputs of arguments: files, folders with all pictures below them, patterns, URLs, buckets. Lists each file
 * once, even if several arguments name it.
 * @param out the output folder
 * @throws Failure with exit code 2 if an argument names nothing
 */
export async function findInputs(
  args: readonly string[],
  out: string,
  buckets = new Buckets(process.env),
): Promise<FoundInputs> {
  const found = new Map<string, Found>();
  let clips = 0;
  const others = new Map<string, number>();
  const leaveOut = (name: string): void => {
    const extension = extname(name).toLowerCase();
    others.set(extension, (others.get(extension) ?? 0) + 1);
  };
  const take = (path: LocalPath, name: string, kind: Kind): void => {
    const id = idOf(path, out);
    if (!found.has(id)) found.set(id, { id, from: path, name, kind });
  };
  for (const argument of args) {
    if (isBucketUrl(argument)) {
      const before = found.size + clips;
      const { bucket, prefix } = placeOf(argument);
      const isFolder = prefix === "" || prefix.endsWith("/");
      for await (const object of buckets.list({ bucket, prefix })) {
        const kind = kindOf(object.key);
        const id = `s3://${bucket}/${object.key}`;
        if (!isFolder && object.key !== prefix) continue;
        // Storage shows a folder as an object without bytes, whose key ends with a slash.
        if (kind === undefined && !object.key.endsWith("/")) leaveOut(object.key);
        if (kind === undefined) continue;
        const name = isFolder ? object.key.slice(prefix.length) : basename(object.key);
        if (kind === "clip" && isFolder) clips++;
        else if (!found.has(id)) found.set(id, { id, from: inBucket(buckets, bucket, object), name, kind });
      }
      if (found.size + clips > before || args.length > 1) continue;
      throw usageFailure(
        isFolder
          ? `There are no pictures in ${argument}.`
          : `${argument} is no picture. For all pictures below it, add a slash: ${argument}/`,
      );
    }
    if (/^https?:\/\//i.test(argument)) {
      if (!URL.canParse(argument)) throw usageFailure(`${argument} is not a URL.`);
      const url = new URL(argument);
      const name = nameOfPath(url.pathname.replace(/\/+$/, "")) ?? url.hostname;
      if (!found.has(url.href))
        found.set(url.href, { id: url.href, from: atUrl(url), name, kind: kindOf(name) ?? "picture" });
      continue;
    }
    const path = resolve(argument);
    const what = await stat(path).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (what?.isFile()) {
      take(path, basename(path), kindOf(path) ?? "picture");
      continue;
    }
    if (what === undefined && !isPattern(argument))
      throw usageFailure(`${argument} does not exist. Check the path.`);
    const pattern = what === undefined ? parsePattern(argument.split(sep).join("/")) : undefined;
    const folder = resolve(pattern?.folder ?? argument);
    if (folder === out)
      throw usageFailure(
        `The results would be saved among the pictures in ${argument}. Choose another folder with --out.`,
      );
    const files = await walkFolder(folder, pattern?.isDeep ?? true).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return [];
      throw error;
    });
    const before = found.size + clips;
    for (const { name, path: file } of files) {
      const kind = kindOf(name);
      if (pattern?.matches(name) === false) continue;
      if (kind === undefined) leaveOut(name);
      else if (kind === "clip" && pattern === undefined) clips++;
      else take(file, name, kind);
    }
    if (found.size + clips === before && args.length === 1)
      throw usageFailure(`There are no pictures ${pattern ? "that match" : "in"} ${argument}.`);
  }
  if (found.size === 0)
    throw usageFailure(
      clips > 0
        ? `There are no pictures, only ${counted(clips, "video")}. Pass a video's path, or a pattern such as "*.mp4", to segment it.`
        : `There are no pictures in ${args.join(", ")}.`,
    );
  return { inputs: [...found.values()], leftOut: { clips, others } };
}

/** The id of a file. Paths that are not UTF-8 have different ids, even if they look the same as text. */
function idOf(path: LocalPath, out: string): string {
  if (typeof path === "string") return relative(out, path).split(sep).join("/");
  const from = Buffer.from(out).toString("latin1");
  return `bytes:${relative(from, path.toString("latin1")).split(sep).join("/")}`;
}

/**
 * True if an argument is a pattern: it has a wildcard. A file of exactly this name takes precedence. U+FFFD, which
 * replaces bytes that are not UTF-8, counts as a wildcard.
 */
const isPattern = (argument: string): boolean => /[*?\ufffd]/.test(argument);

/** A pattern's fixed folder, and the expression for paths below that folder. */
export interface Pattern {
  readonly folder: string;
  readonly matches: (path: string) => boolean;
  /** True if the pattern also matches in subfolders. */
  readonly isDeep: boolean;
}

/** A drive of Windows, without which the rest of a path means another folder. */
const DRIVE = /^[a-z]:/i;

/**
 * Reads a pattern: `*` and `?` match characters of a name, `**` matches any folders. Separators are slashes.
 * @param platform the platform of the paths
 */
export function parsePattern(pattern: string, platform = process.platform): Pattern {
  const [drive = ""] = (platform === "win32" && DRIVE.exec(pattern)) || [];
  const parts = pattern.slice(drive.length).split("/");
  const first = parts.findIndex((part) => isPattern(part));
  // `C:` alone is the process's current folder on that drive, `C:/` the drive's root.
  const folder = drive + (first === 0 ? "." : parts.slice(0, first).join("/") || "/");
  const rest = parts.slice(first);
  const expression = rest
    .map((part, i) => {
      const isLast = i === rest.length - 1;
      if (part === "**") return isLast ? ".*" : "(?:[^/]+/)*";
      const name = part
        .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
        .replaceAll("*", "[^/]*")
        .replaceAll("?", "[^/]");
      return isLast ? name : `${name}/`;
    })
    .join("");
  const whole = new RegExp(`^${expression}$`);
  return { folder, matches: (path) => whole.test(path), isDeep: rest.length > 1 };
}
