import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build, type BuildOptions } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { packedClient } from "../support/packed-client.ts";

const run = promisify(execFile);

const Peers = z.object({
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })),
});

/** The limit of the client in a bundle: minified and gzipped, in bytes. */
const MOST_BYTES = 21_000;

describe("the package", () => {
  const browserBuild = (): BuildOptions => ({
    entryPoints: [join(folder, "package", "index.js")],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
  });
  let folder: string;
  let packed: { readonly filename: string; readonly files: readonly { readonly path: string }[] };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "client-package-"));
    await cp(await packedClient(), join(folder, "package"), { recursive: true });
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
      cwd: join(folder, "package"),
    });
    [packed] = JSON.parse(stdout);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it("holds JavaScript with its types, manifest, README and license, and nothing else", () => {
    const paths = packed.files.map(({ path }) => path);
    const others = paths.filter((path) => !/\.(?:js|d\.ts)$/.test(path));
    expect(others.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
    for (const path of paths)
      if (path.endsWith(".js")) expect(paths).toContain(path.replace(/\.js$/, ".d.ts"));
    expect(paths.some((path) => path.includes("test"))).toBe(false);
  });

  it("has types that TypeScript 5.4 can read: its Uint8Array takes no argument", async () => {
    const declarations = packed.files.map(({ path }) => path).filter((path) => path.endsWith(".d.ts"));
    for (const path of declarations)
      expect(await readFile(join(folder, "package", path), "utf8"), path).not.toMatch(/Uint\d+Array</);
  });

  it("has a command line that npm can link", async () => {
    const manifest: { readonly bin: object } = JSON.parse(
      await readFile(join(folder, "package", "package.json"), "utf8"),
    );
    expect(manifest.bin).toEqual({ "segmentation-client": "./cli/main.js" });
    const main = join(folder, "package", "cli", "main.js");
    expect(await readFile(main, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect((await run(process.execPath, [main, "--help"])).stdout).toContain("segmentation-client segment");
  });

  it("depends only on the package that signs requests to buckets, and may be published under the project's license", async () => {
    const manifest: Record<string, unknown> = JSON.parse(
      await readFile(join(folder, "package", "package.json"), "utf8"),
    );
    expect(manifest).toMatchObject({ name: "segmentation-client", license: "Apache-2.0", type: "module" });
    expect(manifest["dependencies"]).toEqual({ aws4fetch: "1.0.20" });
    const { peerDependencies, peerDependenciesMeta } = Peers.parse(manifest);
    for (const name of Object.keys(peerDependencies))
      expect(peerDependenciesMeta[name], name).toEqual({ optional: true });
    for (const field of ["private", "scripts"]) expect(manifest).not.toHaveProperty(field);
  });

  it("has no problem that publint knows", async () => {
    const { messages } = await publint({ pkgDir: join(folder, "package"), strict: true });
    expect(messages).toEqual([]);
  });

  it("has types that every resolution of ES modules finds", async () => {
    const analysis = await checkPackage(
      createPackageFromTarballData(await readFile(join(folder, packed.filename))),
    );
    if (analysis.types === false) throw new Error("no types");
    // It is ES modules only: TypeScript's resolution of 2015 knows no exports, and CommonJS imports it dynamically.
    const inScope = analysis.problems.filter(
      (problem) =>
        !("resolutionKind" in problem && problem.resolutionKind === "node10") &&
        problem.kind !== "CJSResolvesToESM",
    );
    expect(inScope).toEqual([]);
  });

  it("takes no more of a bundle than its README says, and needs nothing of Node", async () => {
    const { outputFiles } = await build({ ...browserBuild(), write: false });
    const size = gzipSync(outputFiles[0]?.contents ?? "").length;
    console.log(`segmentation-client: ${size} bytes in a bundle, gzipped`);
    expect(outputFiles).toHaveLength(1);
    expect(size).toBeLessThan(MOST_BYTES);
  });

  it("is loaded at once: a service worker may import nothing later, and a deployment may have replaced it", async () => {
    const outdir = join(folder, "bundle");
    await build({ ...browserBuild(), splitting: true, outdir });
    expect(await readdir(outdir)).toEqual(["index.js"]);
    const { verifyWebhook } = await import(pathToFileURL(join(outdir, "index.js")).href);
    await expect(verifyWebhook("{}", {}, "whsec_c2VjcmV0")).rejects.toMatchObject({
      code: "invalid_signature",
    });
  });
});
