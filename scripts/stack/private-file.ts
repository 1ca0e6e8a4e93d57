import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { codeOf } from "../shared/error-parts.ts";

/** Writes a file atomically, readable only by its owner. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomBytes(4).toString("hex")}`;
  await writeFile(fresh, text, { mode: 0o600 });
  await rename(fresh, path);
}

/** Reads a file; null if it does not exist. */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}
