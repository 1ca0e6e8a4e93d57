import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";

it("the tests of the core kill 95 of 100 of its mutants, and survivors that change nothing are listed", async () => {
  const run = spawn(process.execPath, ["scripts/testing/mutation.ts"], { stdio: "inherit" });
  onTestFinished(() => void run.kill());
  const [code] = await once(run, "close");
  expect(code).toBe(0);
});
