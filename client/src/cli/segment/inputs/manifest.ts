import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { TextDecoder } from "node:util";
import { type Buckets, isBucketUrl, placeOf } from "../../bucket/bucket.ts";
import { systemCode, usageFailure } from "../../failure.ts";
import { atUrl, type Found, inBucket } from "./find-inputs.ts";
import { kindOf } from "./media.ts";

/** Id of a line in the journal: no path and no URL begins so. */
const idOf = (customId: string): string => `manifest:${customId}`;

/** The custom_id of an input of a manifest. */
export const customIdOf = ({ id }: Pick<Found, "id">): string => id.slice(idOf("").length);

/**
 * The inputs of a manifest, a JSON object per line: `custom_id`, `url` (https:// or s3://), and optional `prompts`.
 * @throws Failure with exit code 2 that names the line
 */
export async function readManifest(path: string, buckets: Buckets): Promise<Found[]> {
  const found = new Map<string, Found>();
  let number = 0;
  try {
    const input = Readable.from(textOf(path));
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      number++;
      if (line.trim() === "") continue;
      const { customId, url, prompts } = parseLine(line, (what) =>
        usageFailure(`Line ${number} of ${path} ${what}`),
      );
      const id = idOf(customId);
      if (found.has(id))
        throw usageFailure(`Line ${number} of ${path} has the custom_id of an earlier one: ${customId}`);
      const { bucket = "", prefix = "" } = isBucketUrl(url) ? placeOf(url) : {};
      // The command does not list the buckets for it: an object counts as unchanged even if its bytes have changed.
      const from = isBucketUrl(url)
        ? inBucket(buckets, bucket, { key: prefix, etag: "" })
        : atUrl(new URL(url));
      const version = prompts === undefined ? from.version : JSON.stringify(prompts);
      found.set(id, {
        id,
        from: { ...from, version },
        name: customId,
        kind: kindOf(new URL(url).pathname) ?? "picture",
        ...(prompts && { prompts }),
      });
    }
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    throw usageFailure(`${path} does not exist. Check the path.`);
  }
  if (found.size === 0) throw usageFailure(`${path} has no lines.`);
  return [...found.values()];
}

/** A file's text without its byte order mark. Windows PowerShell writes UTF-16. */
async function* textOf(path: string): AsyncGenerator<string, void> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of createReadStream(path)) {
    const bytes = new Uint8Array(chunk);
    const [first, second] = bytes;
    decoder ??= new TextDecoder(first === 0xff && second === 0xfe ? "utf-16le" : "utf-8");
    yield decoder.decode(bytes, { stream: true });
  }
}

const isText = (each: unknown): each is string => typeof each === "string" && each.trim() !== "";

function parseLine(line: string, wrong: (what: string) => Error) {
  const given: unknown = parseJson(line);
  if (typeof given !== "object" || given === null) throw wrong("is not a JSON object.");
  const { custom_id: customId, url, prompts }: Record<string, unknown> = { ...given };
  if (typeof customId !== "string" || customId === "") throw wrong("has no custom_id.");
  if (typeof url !== "string" || !/^(?:https?|s3):\/\//.test(url) || !URL.canParse(url))
    throw wrong("has no url that begins with https:// or s3://.");
  if (prompts === undefined) return { customId, url };
  if (!Array.isArray(prompts) || prompts.length === 0 || !prompts.every(isText))
    throw wrong('has prompts that are not a list of words: "prompts": ["cat", "red cup"].');
  return { customId, url, prompts };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
