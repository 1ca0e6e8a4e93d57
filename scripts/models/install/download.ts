/** Downloads a file of a hub into a folder, and resumes an earlier run. */
import { createHash, type Hash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DownloadError } from "../../../inference-container/src/models/errors.ts";
import {
  complete,
  type Open,
  sizeOf,
  type WholeFile,
} from "../../../inference-container/src/models/fetch/resume.ts";
import type { HubFile } from "../../../inference-container/src/models/manifest.ts";
import { type Hub, Interruption, type ListedFile } from "./hub.ts";

/** Pauses before each further attempt; an attempt that received bytes starts them over. */
const PAUSES_MS = [500, 2_000, 5_000];

/** A file to download: its name in the folder, and its entry in the hub's list. */
export interface Download extends ListedFile {
  readonly name: string;
  readonly source: HubFile;
}

/**
 * Downloads the whole, verified file into `folder`, without the bytes that are already there.
 * @param onProgress called with the number of bytes so far
 * @throws DownloadError that names the problem; the next run continues with the received bytes
 */
export async function downloadFile(
  hub: Hub,
  file: Download,
  folder: string,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const path = join(folder, file.name);
  let failures = 0;
  for (;;) {
    const before = await sizeOf(path);
    try {
      const open: Open = (start, signal) => hub.open(file.source, start, signal);
      const isWhole = await complete(path, wholeFile(file), open, onProgress).catch((error: unknown) => {
        throw error instanceof DownloadError ? error : hub.failure(file.source, error);
      });
      if (isWhole) return;
      await rm(path, { force: true });
      // The earlier bytes may be of another commit, or damaged: tries once more, from the beginning.
      if (before === 0) throw new DownloadError(wrong(file));
    } catch (error) {
      if (!(error instanceof Interruption)) throw error;
      if ((await sizeOf(path)) > before) failures = 0;
      const pause = PAUSES_MS[failures];
      if (pause === undefined) throw error;
      failures += 1;
      await sleep(pause);
    }
  }
}

/** The file as the hub lists it; git's hash begins with the length. */
function wholeFile({ size, digest }: ListedFile): WholeFile {
  const hash = (): Hash =>
    digest.kind === "sha256" ? createHash("sha256") : createHash("sha1").update(`blob ${size}\0`);
  return { size, hash, digest: digest.hex, encoding: "hex" };
}

function wrong({ source }: Download): string {
  return `The download of ${source.path} from ${source.repository} has another digest than the hub lists, and was deleted. Run the command again, or choose another hub by HF_ENDPOINT.`;
}
