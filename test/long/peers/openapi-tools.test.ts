/** Tools for OpenAPI documents, from the registries of npm, PyPI and Go, read the service's own. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { claimPort } from "../../../scripts/shared/port.ts";
import { goProgram, npmPackage, pythonPackages } from "../../support/clients/peers/install.ts";

const exec = promisify(execFile);
const DOCUMENT = join(PROJECT_ROOT, "docs/openapi.json");
const taskId = "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg";

describe("the API's document", () => {
  let [folder, page] = ["", ""];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "openapi-tools-"));
    page = await readFile(join(PROJECT_ROOT, "docs/api-walkthrough.md"), "utf8");
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** The version of a tool that the page names. */
  const versionOf = (tool: string): string =>
    new RegExp(`^\\| \\[${tool}\\]\\(\\S+\\) ([\\d.]+) \\|`, "m").exec(page)?.[1] ?? expect.fail(tool);

  const run = async (program: string, args: readonly string[], cwd = folder): Promise<string> => {
    const { stdout, stderr } = await exec(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 }).catch(
      (error: { stdout: string; stderr: string }) => expect.fail(error.stdout + error.stderr),
    );
    return stdout + stderr;
  };

  it("has no error under Spectral's rules for OpenAPI", async () => {
    const spectral = await npmPackage(`@stoplight/spectral-cli@${versionOf("Spectral")}`);
    const rules = join(folder, "rules.yaml");
    await writeFile(rules, 'extends: ["spectral:oas"]\n');
    const args = ["lint", DOCUMENT, "--ruleset", rules, "--fail-severity", "error", "--format", "text"];
    expect(await run(process.execPath, [join(spectral, "dist/index.js"), ...args])).not.toContain(" error ");
  });

  it("gives oapi-codegen a client that compiles", async () => {
    const version = `v${versionOf("oapi-codegen")}`;
    const generator = await goProgram(`github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${version}`);
    const code = await run(generator, ["-generate", "types,client", "-package", "segmentation", DOCUMENT]);
    expect(code).toContain("CreateJobWithResponse");
    await writeFile(join(folder, "client.go"), code);
    await run("go", ["mod", "init", "example.com/segmentation"]);
    await run("go", ["mod", "tidy"]);
    await run("go", ["vet", "."]);
  });

  it("gives openapi-python-client a client without a warning, which Python imports", async () => {
    const version = versionOf("openapi-python-client");
    const bin = await pythonPackages(`openapi-python-client==${version}`, "ruff==0.15.7");
    const args = ["generate", "--path", DOCUMENT, "--output-path", "made", "--meta", "none"];
    const env = `PATH=${bin}:${process.env["PATH"]}`;
    const said = await run("env", [env, join(bin, "openapi-python-client"), ...args, "--fail-on-warning"]);
    expect(said).not.toMatch(/warning|error/i);
    const program = "import made.api.jobs.create_job, made.models as m; print(m.Region.__name__)";
    expect((await run(join(bin, "python"), ["-c", program])).trim()).toBe("Region");
  });

  describe("served by Prism", () => {
    let prism: ChildProcess;
    let url: string;
    beforeAll(async () => {
      const port = await claimPort(0);
      url = `http://127.0.0.1:${port}`;
      const installed = await npmPackage(`@stoplight/prism-cli@${versionOf("Prism")}`);
      const args = [join(installed, "dist/index.js"), "mock", "--port", String(port), DOCUMENT];
      prism = spawn(process.execPath, args, { stdio: "ignore" });
      const isUp = () =>
        fetch(`${url}/v1/model`).then(
          (answer) => answer.status > 0,
          () => false,
        );
      await vi.waitUntil(isUp, { timeout: 120_000, interval: 500 });
    });
    afterAll(async () => {
      const ended = once(prism, "exit");
      prism.kill();
      await ended;
    });

    const box = [1, 2, 3, 4];
    const points = [{ x: 1, y: 2, label: 1 }];
    it.each<[number, string, object]>([
      [202, "prompts", { prompts: ["cat"] }],
      [202, "a box", { regions: [{ taskId, box }] }],
      [202, "points", { regions: [{ taskId, points }] }],
      [400, "neither prompts nor regions", {}],
      [400, "a box and points in one", { regions: [{ taskId, box, points }] }],
      [400, "a region without a place", { regions: [{ taskId }] }],
      [400, "a box of five numbers", { regions: [{ taskId, box: [...box, 5] }] }],
    ])("answers %i to a job with %s", async (status, _, asked) => {
      const answer = await fetch(`${url}/v1/jobs`, {
        method: "POST",
        headers: { authorization: "Bearer any", "content-type": "application/json" },
        body: JSON.stringify({ type: "image", tasks: [taskId], ...asked }),
      });
      expect(answer.status).toBe(status);
    });
  });
});
