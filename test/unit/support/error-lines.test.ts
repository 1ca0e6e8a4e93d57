import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorLines } from "../../support/stack/error-lines.ts";

it("after a failed run, only the errors of a stack's logs are printed", async () => {
  const logs = await mkdtemp(join(tmpdir(), "logs-"));
  const worker = [
    { level: "info", event: "request", error: "not_found" },
    { level: "error", event: "request_failed", reason: "Error: D1_ERROR: database is locked" },
  ];
  await writeFile(
    join(logs, "worker.log"),
    `${worker.map((line) => JSON.stringify(line)).join("\n")}\n⎔ Starting\n`,
  );
  await writeFile(join(logs, "inference.log"), `${JSON.stringify({ level: 50, msg: "engine_error" })}\n`);
  await writeFile(join(logs, "worker.log.previous"), JSON.stringify(worker[1]));
  expect(await errorLines(logs)).toEqual([
    "[inference] error: engine_error",
    "[worker] error: request_failed  reason=Error: D1_ERROR: database is locked",
  ]);
  await rm(logs, { recursive: true });
});
