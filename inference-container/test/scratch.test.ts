import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeScratch } from "../src/service.ts";

const folderOf = (pid: number, host = hostname()): string =>
  join(tmpdir(), `inference-${host}-${pid}-abcdef`);

test("a service removes the files of killed ones, and none of living ones or other hosts", async () => {
  const { pid: ended } = spawnSync(process.execPath, ["--version"]);
  const left = folderOf(ended);
  const predecessors = folderOf(process.pid);
  const living = folderOf(process.ppid);
  const elsewhere = folderOf(ended, "elsewhere");
  const first = await makeScratch();
  for (const folder of [left, predecessors, living, elsewhere]) await mkdir(folder);
  const second = await makeScratch();
  expect([left, predecessors].filter(existsSync)).toEqual([]);
  expect([living, elsewhere, first, second].filter(existsSync)).toHaveLength(4);
  for (const folder of [living, elsewhere, first, second]) await rm(folder, { recursive: true });
});
