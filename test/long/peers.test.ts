import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { PLANTED } from "../support/chaos/models.ts";
import { type SpawnedStack, spawnStack } from "../support/node/spawn-stack.ts";

const exec = promisify(execFile);

/**
 * What schemathesis takes for an error. A documented 502 or 503 is none: a source, a storage or an identity provider that is not there. That
 * whatever a schema allows is accepted is no promise: none can say whose a taskId is. The schema of a stream is that of an event's data, as its
 * description says; schemathesis takes it for the event's. It would find its own key in the list of keys, and revoke it.
 */
const TERMS = `
[checks]
positive_data_acceptance.enabled = false
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "502", "503"]

[[operations]]
include-operation-id = "streamJobEvents"
checks.response_schema_conformance.enabled = false

[[operations]]
include-operation-id = "revokeApiKey"
phases.stateful.enabled = false
`;

describe("other people's tools", () => {
  let folder: string;
  let stack: SpawnedStack;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "peers-"));
    stack = await spawnStack({
      stateDir: join(folder, "state"),
      launcher: "test/support/chaos/start.ts",
      env: { ...PLANTED.env, CHAOS_SERVICE: PLANTED.service, ALLOW_LOCAL_URLS: "true" },
    });
  });
  afterAll(async () => {
    await stack.stop();
    await rm(folder, { recursive: true });
  });

  const run = async (program: string, args: readonly string[]): Promise<string> => {
    const env = {
      ...process.env,
      SEGMENTATION_BASE_URL: stack.baseUrl,
      SEGMENTATION_API_KEY: stack.apiKey,
      PYTHONPATH: join(PROJECT_ROOT, "python/src"),
    };
    const ended = exec(program, args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
    return (
      await ended.catch((error: { stdout: string; stderr: string }) =>
        expect.fail(error.stdout + error.stderr),
      )
    ).stdout;
  };
  /** An environment of Python with packages of PyPI; the folder of its programs. */
  async function environment(name: string, ...packages: string[]): Promise<string> {
    await run("python3", ["-m", "venv", name]);
    await run(join(folder, name, "bin", "pip"), ["install", "--quiet", ...packages]);
    return join(folder, name, "bin");
  }

  it("schemathesis finds no undocumented status, no answer outside its schema and no 500, with good and bad credentials", async () => {
    const bin = await environment("schemathesis", "schemathesis");
    await writeFile(join(folder, "schemathesis.toml"), TERMS);
    const document = join(PROJECT_ROOT, "docs/openapi.json");
    const terms = "--max-examples 20 --continue-on-failure --request-timeout 60 --no-color".split(" ");
    const where = ["run", document, "--url", stack.baseUrl, "-H", `Authorization: Bearer ${stack.apiKey}`];
    const said = await run(join(bin, "st"), ["--config-file", "schemathesis.toml", ...where, ...terms]);
    process.stdout.write(said.slice(said.indexOf("SUMMARY")));
    expect(said).not.toContain("FAILURES");
  });

  it("Supervision loads a job's archive as docs/datasets.md says, each mask with its pixels", async () => {
    const bin = await environment("supervision", "supervision", "httpx");
    const page = await readFile(join(PROJECT_ROOT, "docs/datasets.md"), "utf8");
    const [lay = "", load = ""] = [...page.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(
      ([, code = ""]) => code,
    );
    await symlink(join(PROJECT_ROOT, "samples"), join(folder, "samples"));
    // The planted model knows this word.
    await writeFile(join(folder, "lay.py"), lay.replace('["cup", "cat"]', '["bright"]'));
    await writeFile(join(folder, "load.py"), load);
    await run(join(bin, "python"), ["lay.py"]);
    const { annotations }: { annotations: { area: number }[] } = JSON.parse(
      await readFile(join(folder, "dataset/annotations.json"), "utf8"),
    );
    expect(await run(join(bin, "python"), ["load.py"])).toBe(
      `['bright'] [${annotations.map(({ area }) => area).join(", ")}]\n`,
    );
  });
});
