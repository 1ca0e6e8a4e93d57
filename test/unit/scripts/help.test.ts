import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync("package.json", "utf8"));

/** Scripts with options, whose help is part of their source. */
const WITH_OPTIONS = new Set(
  "demo start deploy verify admin token bench models openapi pack-client".split(" "),
);

describe("npm run", () => {
  it.each(Object.entries(scripts).filter(([name]) => !WITH_OPTIONS.has(name)))(
    "%s -- --help says what it does, and does nothing",
    async (name, line) => {
      const [, ...args] = line.split(" ").slice(2);
      const { stdout } = await run(process.execPath, ["scripts/run.mjs", ...args, "--help"]);
      expect(stdout).toMatch(new RegExp(`npm (run )?${name}\\b`));
    },
  );

  it("check and others without options refuse arguments", async () => {
    const refused = run(process.execPath, ["scripts/run.mjs", "errors", "--check"]);
    await expect(refused).rejects.toMatchObject({ code: 2, stderr: "npm run errors takes no arguments.\n" });
  });
});
