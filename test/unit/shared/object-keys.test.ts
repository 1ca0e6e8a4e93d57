import { describe, expect, it } from "vitest";
import {
  accountPrefixes,
  archiveKey,
  archivesPrefix,
  decoderKey,
  inputKey,
  inputOf,
  outputKey,
  outputsPrefix,
} from "../../../src/shared/bucket/object-keys.ts";

const JOB = { accountId: "acct_1", jobId: "job_1" };

describe("in the bucket", () => {
  it("an upload lies under its account", () => {
    expect(inputKey("acct_1", "a.png")).toBe("inputs/acct_1/a.png");
    expect(inputOf("inputs/acct_1/a.png")).toEqual({ accountId: "acct_1", taskId: "a.png" });
  });

  it.each([outputKey(JOB, "a.png", 3, "1"), "outputs/acct_1/a.png", "inputs//a.png", "inputs/acct_1/", "x"])(
    "nothing else is an upload: %s",
    (key) => {
      expect(inputOf(key)).toBeNull();
    },
  );

  it("a task's outputs are under its job, task and lease", () => {
    expect(outputKey(JOB, "a.png", 3, "masks/0.png")).toBe("outputs/acct_1/job_1/a.png/3/masks/0.png");
  });

  it("an archive lies under its job and lease", () => {
    expect(archiveKey("acct_1", "job_1", 4)).toBe("archives/acct_1/job_1/4.zip");
  });

  it("a model's decoder is known by its digest", () => {
    expect(decoderKey("ab12")).toBe("decoders/ab12.onnx");
  });

  it("all of an account's files, and no others, have one of its prefixes", () => {
    const prefixes = accountPrefixes("acct_1");
    const isOwn = (key: string): boolean => prefixes.some((prefix) => key.startsWith(prefix));
    const keysOf = (accountId: string): string[] => [
      inputKey(accountId, "a.png"),
      outputKey({ ...JOB, accountId }, "a.png", 3, "masks/0.png"),
      archiveKey(accountId, "job_1", 4),
    ];
    expect(keysOf("acct_1").map(isOwn)).toEqual([true, true, true]);
    expect(keysOf("acct_10").map(isOwn)).toEqual([false, false, false]);
    expect(prefixes).toHaveLength(3);
  });

  it("all that a job left behind has a prefix, which is no other job's", () => {
    const outputs = outputsPrefix("acct_1", "job_1");
    const archives = archivesPrefix("acct_1", "job_1");
    expect(outputKey(JOB, "a.png", 3, "preview.png").startsWith(outputs)).toBe(true);
    expect(archiveKey("acct_1", "job_1", 4).startsWith(archives)).toBe(true);
    expect(outputKey({ ...JOB, jobId: "job_10" }, "a.png", 3, "preview.png").startsWith(outputs)).toBe(false);
    expect(archiveKey("acct_1", "job_10", 4).startsWith(archives)).toBe(false);
  });
});
