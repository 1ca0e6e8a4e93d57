import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packedClient } from "../support/packed-client.ts";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

const run = promisify(execFile);

/** The examples in a language, each with its heading. */
async function examplesOf(page: string, language: "ts" | "sh") {
  const text = await readFile(join(PROJECT_ROOT, page), "utf8");
  return text.split(/^#+ /m).flatMap((section) => {
    const [heading = ""] = section.split("\n");
    const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"));
    return [...blocks].map(([, code = ""]) => ({ heading, code }));
  });
}

const examples = [...(await examplesOf("client/README.md", "ts")), ...(await examplesOf("README.md", "ts"))];

/** Lines that a shell runs; the first line of a page installs the package. */
const lines = [...(await examplesOf("client/README.md", "sh")), ...(await examplesOf("README.md", "sh"))]
  .flatMap(({ code }) => code.split("\n"))
  .filter((line) => line.startsWith("npx --no-install segmentation-client"));

describe("the READMEs' example", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "client-readme-"));
    await mkdir(join(folder, "node_modules", ".bin"), { recursive: true });
    const library = join(folder, "node_modules", "segmentation-client");
    await cp(await packedClient(), library, { recursive: true });
    // As npm installs it: a link, to a file that can be run.
    const bin = join(library, "cli", "main.js");
    await chmod(bin, 0o755);
    await symlink(bin, join(folder, "node_modules", ".bin", "segmentation-client"));
    await mkdir(join(folder, "samples"));
    for (const name of ["coffee.png", "chelsea.png", "people-crossing.mp4"])
      await cp(join(PROJECT_ROOT, "samples", name), join(folder, "samples", name));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    for (const [i, { code }] of examples.entries()) await writeFile(join(folder, `${i}.ts`), code);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it("runs under each heading", async () => {
    const urls = await Promise.all(examples.map(() => serve(fakeService().app)));
    // One after the other in one process, each with a separate service.
    const script = `
      for (const [i, url] of ${JSON.stringify(urls)}.entries()) {
        console.log("example");
        process.env.SEGMENTATION_BASE_URL = url;
        await import("./" + i + ".ts");
      }`;
    await writeFile(join(folder, "all.ts"), script);
    const env = { ...process.env, SEGMENTATION_API_KEY: "sk_live_fake" };
    const { stdout, stderr } = await run(process.execPath, ["all.ts"], { cwd: folder, env });
    expect(stderr).toBe("");
    const printed = stdout.split("example\n").slice(1);
    expect(printed).toHaveLength(examples.length);
    for (const [i, text] of printed.entries()) expect(text, examples[i]?.heading).not.toBe("");
  });

  it("in a shell runs, line by line", async () => {
    const { app } = fakeService({ access: { maxActiveJobs: 4 } });
    const env = {
      ...process.env,
      SEGMENTATION_BASE_URL: await serve(app),
      SEGMENTATION_API_KEY: "sk_live_fake",
    };
    expect(lines).toHaveLength(5);
    for (const [at, line] of lines.entries()) {
      // npx starts the programs of that folder: the first example shows it, and the others start them directly.
      const command = at === 0 ? line : line.replace("npx --no-install ", "node_modules/.bin/");
      const { stderr } = await run("bash", ["-c", command], { cwd: folder, env });
      expect(stderr, line).not.toContain("Error");
    }
    const saved = await readdir(join(folder, "out/cups"));
    expect(saved).toEqual(expect.arrayContaining(["annotations.json", "masks", "preview"]));
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
