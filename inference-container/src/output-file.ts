import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OutputFile } from "@segmentation/protocol";
import type { WrittenFile } from "./messages.ts";

/** A row of the table of outputs, a list's with its name filled in. */
type Named = Pick<OutputFile, "name" | "contentType">;

/** Writes an output into a task's folder and describes it. */
export async function writeOutput(
  folder: string,
  { name, contentType }: Named,
  bytes: Buffer,
): Promise<WrittenFile> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const md5 = createHash("md5").update(bytes).digest("base64");
  return { name, contentType, size: bytes.length, md5, path };
}

/** Describes an output that is already in a task's folder. */
export async function describeOutput(folder: string, { name, contentType }: Named): Promise<WrittenFile> {
  const path = join(folder, name);
  const hash = createHash("md5");
  const file = await openAsBlob(path);
  for await (const chunk of file.stream()) hash.update(chunk);
  return { name, contentType, size: file.size, md5: hash.digest("base64"), path };
}
