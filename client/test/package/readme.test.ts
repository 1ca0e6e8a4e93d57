import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillPackageFolder } from "../../../scripts/client/package-folder.ts";
import { playService } from "../support/played-service.ts";
import { serve } from "../support/serve.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

const run = promisify(execFile);

const readme = await readFile(join(PROJECT_ROOT, "client", "README.md"), "utf8");

/** The TypeScript examples of the README, each with the heading that it stands under. */
const examples = readme.split(/^#+ /m).flatMap((section) => {
  const [heading = ""] = section.split("\n");
  return [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => ({ heading, code }));
});

describe("the README's example", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "client-readme-"));
    await fillPackageFolder(join(folder, "node_modules", "segmentation-client"));
    await mkdir(join(folder, "samples"));
    for (const name of ["coffee.png", "chelsea.png", "people-crossing.mp4"])
      await cp(join(PROJECT_ROOT, "samples", name), join(folder, "samples", name));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    for (const [i, { code }] of examples.entries()) await writeFile(join(folder, `${i}.ts`), code);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it.each(examples.map(({ heading }, i) => [heading, i] as const))("under %s runs", async (_, i) => {
    const service = playService();
    const baseUrl = await serve(service.app);
    const env = { ...process.env, BASE_URL: baseUrl, API_KEY: "sk_live_played" };
    const { stdout, stderr } = await run(process.execPath, [`${i}.ts`], { cwd: folder, env });
    expect(stderr).toBe("");
    expect(stdout).not.toBe("");
  });

  it("is as the types have it", async () => {
    const options = [
      "--noEmit",
      "--strict",
      "--target",
      "es2023",
      "--module",
      "nodenext",
      "--skipLibCheck",
      "false",
    ];
    const types = ["--typeRoots", join(PROJECT_ROOT, "node_modules", "@types"), "--types", "node"];
    const files = examples.map((_, i) => `${i}.ts`);
    const tsc = join(PROJECT_ROOT, "node_modules", ".bin", "tsc");
    const { stdout } = await run(tsc, [...options, ...types, ...files], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  });
});
