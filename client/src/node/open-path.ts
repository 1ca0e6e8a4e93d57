import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { SegmentationError } from "../errors.ts";
import type { Input, Source } from "../upload/input.ts";

/** The path that an input names: any text but a URL of the web, or a `file:` URL; otherwise undefined. */
export function pathOf(input: Input): string | undefined {
  if (typeof input === "string") return /^(?:https?|data|blob):/.test(input) ? undefined : input;
  return input instanceof URL && input.protocol === "file:" ? fileURLToPath(input) : undefined;
}

/** Opens a file without reading it. @throws SegmentationError `invalid_input` if it cannot be read */
export async function openPath(path: string): Promise<Source> {
  try {
    return { from: await openAsBlob(path), name: basename(path) };
  } catch (cause) {
    throw new SegmentationError("invalid_input", `The file ${path} cannot be read. Check the path.`, {
      cause,
    });
  }
}
