import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeService } from "../../../client/test/support/fake-service.ts";
import { serve } from "../../../client/test/support/serve.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

const exec = promisify(execFile);

/** Only an installation that hangs exceeds it, also on a busy machine. */
const INSTALLING_MS = 3_600_000;

/** A user's program with the installed package, whose types are checked too. */
const PROGRAM = `
from segmentation_client import Client, ImageResult, Mask

client = Client()
result: ImageResult = client.segment(b"GIF89a picture", ["cup"], threshold=0.3)
mask: Mask = result.masks[0]
print(mask.prompt, mask.area, len(mask.bitmap()))
for job in client.jobs.list_jobs(limit=1):
    print(job["jobId"], job["status"])
`;
/** Mistakes that the types find. */
const WRONG = `
from segmentation_client import Client

Client().segment("a.png", "cup", treshold=0.3)
Client().segment("a.png", "cup", formats=["cocoa"])
Client().api.create_job({"type": "image", "prompts": ["cup"]})
print(Client().api.get_account()["mail"])
`;

describe("the Python package", () => {
  let folder: string;
  let tools: string;
  let wheel: string;
  const run = (program: string, args: readonly string[], cwd = folder, env = {}) =>
    exec(program, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "python-package-"));
    tools = join(folder, "tools", "bin");
    await run("python3", ["-m", "venv", "tools"]);
    const packages = [
      "build",
      "hatchling",
      "twine",
      "check-wheel-contents",
      "mypy",
      "pyright",
      "httpx",
      "numpy",
      "trio",
    ];
    await run(join(tools, "pip"), ["install", "--quiet", ...packages]);
    const filter = (path: string): boolean => !/__pycache__|_cache$|dist$/.test(path);
    await cp(join(PROJECT_ROOT, "python"), join(folder, "python"), {
      recursive: true,
      dereference: true,
      filter,
    });
    await run(join(tools, "python"), ["-m", "build", "--no-isolation", "python"]);
    wheel = join(
      folder,
      "python",
      "dist",
      (await readdir(join(folder, "python", "dist"))).find((name) => name.endsWith(".whl")) ?? "",
    );
  }, INSTALLING_MS);
  afterAll(() => rm(folder, { recursive: true }));

  it("is strict for mypy and pyright, with every Python that it takes", async () => {
    for (const version of ["3.10", "3.12", "3.14"]) {
      await run(join(tools, "mypy"), ["--python-version", version, "src"], join(folder, "python"));
      const own = ["--pythonpath", join(tools, "python"), "--pythonversion", version];
      await run(join(tools, "pyright"), own, join(folder, "python"));
    }
  });

  it("passes its own tests with the newest httpx and numpy, also on trio", async () => {
    const test = join(folder, "python", "test");
    const env = { PYTHONPATH: join(folder, "python", "src") };
    const { stderr } = await run(join(tools, "python"), ["-W", "ignore", "-m", "unittest"], test, env);
    expect(stderr).toMatch(/^OK$/m);
  });

  it("is a wheel that passes twine and check-wheel-contents", async () => {
    const { stdout } = await run(join(tools, "twine"), ["check", "--strict", wheel]);
    expect(stdout).toContain("PASSED");
    expect((await run(join(tools, "check-wheel-contents"), [wheel])).stdout).toContain("OK");
    const { stdout: names } = await run(join(tools, "python"), ["-m", "zipfile", "-l", wheel]);
    for (const name of ["py.typed", "models.py", "api.py", "licenses/LICENSE"]) expect(names).toContain(name);
    expect(names).not.toContain("test");
  });

  it("works in an empty environment with httpx alone, and users see its types", async () => {
    const bin = join(folder, "empty", "bin");
    await run("python3", ["-m", "venv", "empty"]);
    await run(join(bin, "pip"), ["install", "--quiet", wheel]);
    const { stdout: installed } = await run(join(bin, "pip"), ["list", "--format", "freeze"]);
    expect(installed).toContain("segmentation-client==");
    expect(installed).not.toContain("numpy");
    await writeFile(join(folder, "program.py"), PROGRAM);
    await writeFile(join(folder, "wrong.py"), WRONG);
    const baseUrl = await serve(fakeService().app);
    const env = { SEGMENTATION_BASE_URL: baseUrl, SEGMENTATION_API_KEY: "sk_live_fake" };
    const { stdout } = await run(join(bin, "python"), ["program.py"], folder, env);
    expect(stdout).toMatch(/^cup \d+ \d+\njob_\d+ success\n$/);
    const strict = ["--strict", "--python-executable", join(bin, "python")];
    await run(join(tools, "mypy"), [...strict, "program.py"]);
    const failure: unknown = await run(join(tools, "mypy"), [...strict, "wrong.py"]).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ stdout: expect.stringContaining("Found 4 errors") });
  });
});
