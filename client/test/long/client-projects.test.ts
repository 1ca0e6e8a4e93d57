import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packedClient } from "../support/packed-client.ts";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { npmPackage } from "../../../test/support/clients/peers/install.ts";

const run = promisify(execFile);
const PICTURE = join(PROJECT_ROOT, "samples", "coffee.png");

/** Uses of the published client in other projects. */
describe("the client library in a project", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "client-projects-"));
    await mkdir(join(folder, "node_modules"));
    await cp(await packedClient(), join(folder, "node_modules", "segmentation-client"), { recursive: true });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  /** Has a package of npm, "name@version", in the project by this name. */
  async function add(name: string, versioned: string): Promise<string> {
    const place = await npmPackage(versioned);
    await symlink(place, join(folder, "node_modules", name)).catch(() => {});
    return place;
  }

  it("takes files, responses, headers and a fetch of other packages", async () => {
    await add("cross-fetch", "cross-fetch@4.1.0");
    await add("fetch-blob", "fetch-blob@3.2.0");
    await add("formdata-node", "formdata-node@6.0.3");
    await add("node-fetch", "node-fetch@3.3.2");
    await add("node-fetch-2", "node-fetch@2.7.0");
    await add("undici", "undici@7.30.2");
    await add("undici-5", "undici@5.29.0");
    const script = join(folder, "packages.mjs");
    await cp(join(PROJECT_ROOT, "client/test/support/client-projects/packages.mjs"), script);
    const service = fakeService();
    const { stdout } = await run(process.execPath, [script, PICTURE, await serve(service.app)]);
    const report: Record<string, string> = JSON.parse(stdout);
    expect(Object.keys(report)).toHaveLength(24);
    const sizes = Object.entries(report).map(([name, taskId]) => [
      name,
      name.startsWith("headers") ? taskId : (service.uploads.get(taskId)?.bytes?.length ?? taskId),
    ]);
    expect(sizes.filter(([, size]) => size !== 466_706 && size !== "test")).toEqual([]);
  });

  it("finds a missing, an empty and a misnamed file in Bun, too", async () => {
    if (process.platform !== "linux" || process.arch !== "x64")
      return console.log("There is no Bun for this machine: it is not tested there.");
    await cp(PICTURE, join(folder, "misnamed.3gp"));
    await writeFile(join(folder, "empty.png"), "");
    const code = `
      import { SegmentationClient } from "segmentation-client/node";
      const client = new SegmentationClient({ baseUrl: process.argv[2], apiKey: "sk_live_fake" });
      for (const path of ["misnamed.3gp", "empty.png", "none.png", "node_modules"])
        console.log(await client.upload(path).catch((error) => error.code));`;
    await writeFile(join(folder, "bun.mjs"), code);
    const bun = join(await npmPackage("@oven/bun-linux-x64-baseline@1.4.5"), "bin", "bun");
    const service = fakeService();
    const { stdout } = await run(bun, ["bun.mjs", await serve(service.app)], { cwd: folder });
    const [taskId, ...refused] = stdout.trim().split("\n");
    expect(service.uploads.get(taskId ?? "")).toMatchObject({ contentType: "image/png" });
    expect(refused).toEqual(Array(3).fill("invalid_input"));
    expect(service.asked).toHaveLength(2);
    return undefined;
  });

  it("has types that TypeScript 5.4 takes without skipLibCheck, with and without Node's", async () => {
    const tsc = join(await npmPackage("typescript@5.4.5"), "bin", "tsc");
    const types = dirname(await npmPackage("@types/node@20.19.43"));
    const code = (entry: string) => `
      import { SegmentationClient, type Bitmap } from "${entry}";
      export const first = async (client: SegmentationClient): Promise<Bitmap | undefined> => {
        const bitmap = await (await client.segment("a.png", "cup")).masks[0]?.bitmap();
        return bitmap && new Blob([bitmap.data]).size > 0 ? bitmap : undefined;
      };`;
    await writeFile(join(folder, "web.mts"), code("segmentation-client"));
    await writeFile(join(folder, "node.mts"), code("segmentation-client/node"));
    const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
    const modules = ["--module", "nodenext", "--skipLibCheck", "false"];
    const web = ["web.mts"];
    const node = ["--typeRoots", join(types), "--types", "node", "node.mts"];
    for (const rest of [web, node]) {
      const { stdout } = await run(process.execPath, [tsc, ...options, ...modules, ...rest], {
        cwd: folder,
      }).catch((error: { stdout: string }) => error);
      expect(stdout).toBe("");
    }
  });

  it("is required by CommonJS", async () => {
    const code =
      'const { SegmentationClient } = require("segmentation-client/node"); console.log(typeof SegmentationClient)';
    const { stdout } = await run(process.execPath, ["--input-type=commonjs", "-e", code], { cwd: folder });
    expect(stdout).toBe("function\n");
  });

  const TEST = `
    test("a client", async () => {
      const fetch = () => Promise.resolve(Response.json({ accountId: "a" }));
      const client = new SegmentationClient({ baseUrl: "http://a.test", apiKey: "k", fetch });
      expect((await client.api.getAccount()).accountId).toBe("a");
      await expect(client.upload(Buffer.of())).rejects.toMatchObject({ code: "invalid_input" });
    });`;

  it.each([
    [
      "Babel",
      "babel.test.js",
      `const { SegmentationClient } = require("segmentation-client/node");${TEST}`,
      'transformIgnorePatterns: ["/node_modules/(?!(segmentation-client|aws4fetch)/)"]',
      "",
    ],
    [
      "modules of the vm",
      "modules.test.mjs",
      `import { SegmentationClient } from "segmentation-client/node";${TEST}`,
      "transform: {}",
      "--experimental-vm-modules",
    ],
  ])("is tested by Jest 29 with %s, as its README says", async (_, file, code, config, nodeOptions) => {
    const jest = join(await npmPackage("jest@29.7.0"), "bin", "jest.js");
    const preset = await npmPackage("@babel/preset-env@7.29.14");
    await writeFile(join(folder, file), code);
    const targets = '{ targets: { node: "current" } }';
    await writeFile(
      join(folder, "babel.config.cjs"),
      `module.exports = { presets: [[${JSON.stringify(preset)}, ${targets}]] };`,
    );
    await writeFile(
      join(folder, "jest.config.cjs"),
      `module.exports = { rootDir: ${JSON.stringify(folder)}, testMatch: ["**/${file}"], ${config} };`,
    );
    const env = { ...process.env, NODE_OPTIONS: nodeOptions };
    const { stderr } = await run(process.execPath, [jest], { cwd: folder, env });
    expect(stderr).toContain("1 passed");
  });

  it("is one file in a bundle of Vite", async () => {
    await writeFile(join(folder, "main.js"), 'export * from "segmentation-client";');
    const outDir = join(folder, "vite");
    await build({
      root: folder,
      configFile: false,
      logLevel: "error",
      build: { outDir, lib: { entry: "main.js", formats: ["es"], fileName: "main" } },
    });
    const scripts = (await readdir(outDir)).filter((name) => name.endsWith("js"));
    expect(scripts).toEqual([expect.stringMatching(/^main\./)]);
    const { verifyWebhook } = await import(pathToFileURL(join(outDir, scripts[0] ?? "")).href);
    await expect(verifyWebhook("{}", {}, "whsec_c2VjcmV0")).rejects.toMatchObject({
      code: "invalid_signature",
    });
  });
});
