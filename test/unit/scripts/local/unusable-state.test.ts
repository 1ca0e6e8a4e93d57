import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ensureModel } from "../../../../scripts/local/stack/model.ts";
import { startChild } from "../../../../scripts/shared/child.ts";
import { createStateFolder, stackMark, stateFolder } from "../../../../scripts/shared/state/state-folder.ts";
import { unwritable } from "../../../../scripts/shared/state/unwritable.ts";

let scratch: string;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "unusable-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(scratch, { recursive: true });
});

describe("a state folder that can't be written", () => {
  it.each([
    "ENOSPC: no space left on device, write",
    "EDQUOT: disk quota exceeded, write",
    "Command failed: migrate-databases.ts\nError: database or disk is full: SQLITE_FULL",
  ])("names the remedy for a full disk: %s", (message) => {
    expect(unwritable(new Error(message), "/state")).toMatchObject({
      name: "Failure",
      message: "The disk of /state is full. Free space, or set STATE_DIR to a folder elsewhere.",
    });
  });

  it.each(["EACCES: permission denied, mkdir", "EROFS: read-only file system, open"])(
    "names the remedy if one may not write: %s",
    (message) => {
      expect(unwritable(new Error(message), "/state")).toMatchObject({
        message: `You may not write to /state (${message}). Change its permissions, or set STATE_DIR to another folder.`,
      });
    },
  );

  it("leaves other errors alone", () => {
    const error = new TypeError("x is undefined");
    expect(unwritable(error, "/state")).toBe(error);
  });

  it("names the folder that cannot be created", async () => {
    const file = join(scratch, "file");
    await writeFile(file, "");
    await expect(createStateFolder(stateFolder(join(file, "state")))).rejects.toThrow(
      /^The state folder .*file\/state cannot be created \(ENOTDIR: .*\)\. Set STATE_DIR to another folder\.$/,
    );
  });
});

it("stops a part with an unwritable log, and says so", async () => {
  const logFile = join(scratch, "missing", "part.log");
  const child = await startChild({
    name: "The part",
    args: ["-e", "setInterval(() => {}, 1000)"],
    env: process.env,
    logFile,
  });
  expect(await child.ended).toBe("SIGTERM");
  expect(child.failure("ended unexpectedly").message).toMatch(
    `The part was stopped, because its log ${logFile} cannot be written: ENOENT`,
  );
});

describe("MODEL_FOLDER", () => {
  const chosen = (folder: string): Promise<string> => {
    vi.stubEnv("MODEL_FOLDER", folder);
    vi.stubEnv("MODEL_DIR", scratch);
    return ensureModel(stackMark(stateFolder(scratch)), new AbortController().signal);
  };

  it("says how to install a model of the catalog", async () => {
    await expect(chosen("owlv2-base")).rejects.toThrow(
      "The model owlv2-base is not installed. Install it: npm run models -- install owlv2-base",
    );
  });

  it("says where no model is", async () => {
    await expect(chosen(scratch)).rejects.toThrow(
      `MODEL_FOLDER is "${scratch}", where no model is: there is no manifest.json.`,
    );
  });
});
