import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listen } from "../../../scripts/shared/listen.ts";

const run = promisify(execFile);
const PACKAGES = ["steady", "of-platform"];

let scratch: string;
let clone: string;
let registry: string;
const tarballs: Record<string, Buffer> = {};
const server = createServer(({ url = "" }, response) => {
  const bytes = tarballs[/^\/([a-z-]+)\/-\/[a-z-]+-1\.0\.0\.tgz$/.exec(url)?.[1] ?? ""];
  response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
});

/** Returns the lock of a project with a package for every platform, and an optional one for this platform alone. */
function lockFile() {
  const packageOf = (name: string) => ({
    version: "1.0.0",
    resolved: `https://registry.npmjs.org/${name}/-/${name}-1.0.0.tgz`,
    integrity: `sha512-${hash("sha512", tarballs[name] ?? "", "base64")}`,
  });
  const ofPlatform = { optional: true, os: [process.platform], cpu: [process.arch] };
  return {
    lockfileVersion: 3,
    packages: {
      "": { dependencies: { steady: "1.0.0" }, optionalDependencies: { "of-platform": "1.0.0" } },
      "node_modules/steady": packageOf("steady"),
      "node_modules/of-platform": { ...packageOf("of-platform"), ...ofPlatform },
    },
  };
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "bootstrap-"));
  for (const name of PACKAGES) {
    const folder = join(scratch, name);
    await mkdir(join(folder, "package"), { recursive: true });
    await writeFile(join(folder, "package", "package.json"), JSON.stringify({ name, version: "1.0.0" }));
    const { stdout } = await run("tar", ["-czf", "-", "-C", folder, "package"], { encoding: "buffer" });
    tarballs[name] = stdout;
  }
  registry = await listen(server);
});

afterAll(async () => {
  server.close();
  await rm(scratch, { recursive: true });
});

beforeEach(async () => {
  clone = await mkdtemp(join(scratch, "clone-"));
  await mkdir(join(clone, "scripts", "operate"), { recursive: true });
  for (const file of ["run.mjs", "bootstrap.mjs", "prefetch.mjs"])
    await cp(join("scripts", file), join(clone, "scripts", file));
  await writeFile(join(clone, "scripts", "operate", "verify.ts"), 'console.log("ran");');
  await writeFile(join(clone, "package-lock.json"), JSON.stringify(lockFile()));
  await writeFile(join(clone, "package.json"), JSON.stringify(lockFile().packages[""]));
});

/** Runs a command of the clone, whose npm asks the registry, by default the test's. */
const command = (from = registry, ...wrapper: readonly string[]) => {
  const [program, ...args] = [...wrapper, process.execPath, "scripts/run.mjs", "verify"];
  return run(program, args, { cwd: clone, env: environment(from) });
};
const environment = (from: string): NodeJS.ProcessEnv => ({
  ...process.env,
  npm_config_registry: from,
  npm_config_cache: join(clone, "cache"),
  npm_config_fetch_retries: "0",
});
const installed = async (): Promise<string[]> =>
  (await readdir(join(clone, "node_modules"))).filter((name) => PACKAGES.includes(name));

describe("a command of a fresh clone", () => {
  it("installs nothing after a complete npm ci", async () => {
    await run("npm", ["ci"], { cwd: clone, env: environment(registry) });
    expect(await command()).toMatchObject({ stdout: "ran\n", stderr: "" });
  });

  it("installs what npm left out for another Node, what is deleted, and what npm did not finish", async () => {
    await run("npm", ["ci", "--omit=optional"], { cwd: clone, env: environment(registry) });
    expect(await installed()).toEqual(["steady"]);
    for (const missing of ["of-platform", "steady", ".package-lock.json", "."]) {
      await rm(join(clone, "node_modules", missing), { recursive: true, force: true });
      expect(await command()).toMatchObject({ stdout: "ran\n", stderr: expect.stringContaining("npm ci") });
      expect(await installed()).toEqual(PACKAGES.toSorted());
    }
  });

  it("names the remedies if npm reaches no registry", async () => {
    await expect(command("http://127.0.0.1:1")).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /ECONNREFUSED[^]*\nnpm could not install the packages; its message is above\. Check the network, the proxy [^\n]*, the registry [^\n]* Then run the command again\.\n$/,
      ),
    });
  });

  it("names the remedy if the folder can't be written", async () => {
    await chmod(clone, 0o555);
    // The superuser writes anywhere, unless it lacks this capability.
    const wrapper = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : [];
    await expect(command(registry, ...wrapper)).rejects.toMatchObject({
      code: 1,
      stderr: `The project's folder ${clone} can't be written (EACCES). Clone it into a folder of yours.\n`,
    });
    await chmod(clone, 0o755);
    expect(await readdir(clone)).not.toContain("node_modules");
  });

  it("names the Node that it needs if this one is too old", async () => {
    const old = join(clone, "scripts", "bootstrap.mjs");
    await writeFile(
      old,
      (await readFile(old, "utf8")).replace("OLDEST_HOST = [20, 19]", "OLDEST_HOST = [99, 1]"),
    );
    await expect(command()).rejects.toMatchObject({
      code: 1,
      stderr: `Node 99.1 or newer is needed; this is ${process.version}.\n`,
    });
  });
});
