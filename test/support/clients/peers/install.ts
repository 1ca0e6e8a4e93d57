/**
 * Installs other projects' tools from their registries, once for each version, in the user's cache folder: some have gigabytes.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { modelsRoot } from "../../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { lockFile } from "../../../../scripts/shared/file-lock.ts";

const run = promisify(execFile);

/** The folder of the tools and of their build outputs. */
export const PEERS = join(dirname(modelsRoot({ ...process.env, MODEL_DIR: "" })), "segmentation-peers");
const PATIENCE_MS = 600_000;

/** Returns the folder of a tool of these versions; `install` fills it unless it exists. */
async function installed(
  versions: readonly string[],
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(PEERS, createHash("sha256").update(versions.join("\n")).digest("hex").slice(0, 12));
  await mkdir(PEERS, { recursive: true });
  const lock = lockFile(join(PEERS, ".lock"), PATIENCE_MS);
  try {
    const finished = join(folder, "finished");
    if ((await stat(finished).catch(() => undefined)) === undefined) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      await install(folder);
      await writeFile(finished, versions.join("\n"));
    }
  } finally {
    lock?.release();
  }
  return folder;
}

/** A virtual environment with packages of PyPI: the folder of its programs. Needs Python 3.10 or newer with venv. */
export async function pythonPackages(...packages: readonly string[]): Promise<string> {
  const folder = await installed(packages, async (empty) => {
    await run("python3", ["-m", "venv", empty]);
    await run(join(empty, "bin", "pip"), ["install", "--quiet", ...packages]);
  });
  return join(folder, "bin");
}

/** The jar of OpenAPI Generator, from Maven Central. Needs Maven. */
export async function openapiGenerator(version: string): Promise<string> {
  const artifact = `org.openapitools:openapi-generator-cli:${version}`;
  const folder = await installed([artifact], (empty) =>
    run("mvn", ["-q", "-B", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${empty}`]),
  );
  return join(folder, `openapi-generator-cli-${version}.jar`);
}

/** A program of Go, "module/path/of/program@version", built with the Go of this machine. */
export async function goProgram(versioned: string): Promise<string> {
  const folder = await installed([versioned], (empty) =>
    run("go", ["install", versioned], { env: { ...process.env, GOBIN: empty } }),
  );
  return join(folder, versioned.replace(/@.*/, "").split("/").at(-1) ?? "");
}

/** Returns the folder of an npm package, "name@version", that the project's install leaves out: few people need it. */
export async function npmPackage(versioned: string): Promise<string> {
  const folder = await installed([versioned], (empty) =>
    run("npm", ["install", "--prefix", empty, "--no-audit", "--no-fund", versioned]),
  );
  return join(folder, "node_modules", versioned.slice(0, versioned.lastIndexOf("@")));
}
