import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { pythonWith } from "../../test/support/clients/python.ts";

const FOLDER = join(PROJECT_ROOT, "python/test");
const python = pythonWith("httpx", "numpy");
const files = (await readdir(FOLDER)).filter((name) => /^test_\w+\.py$/.test(name));

describe("the Python client passes", () => {
  it.skipIf(python === null)("its own tests", async () => {
    const env = {
      ...process.env,
      PYTHONPATH: join(PROJECT_ROOT, "python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
    };
    const args = ["-W", "ignore", "-m", "unittest", ...files];
    const { stderr } = await promisify(execFile)(python ?? "", args, { cwd: FOLDER, env });
    expect(stderr).toMatch(/^Ran \d+ tests in .*\n\nOK$/m);
  });
});
