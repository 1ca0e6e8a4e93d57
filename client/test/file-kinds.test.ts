import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { FILE_KINDS } from "../../test/support/file-kinds.ts";
import { pythonWith } from "../../test/support/clients/python.ts";
import { unreadable } from "../src/cli/segment/inputs/media.ts";
import { contentTypeOf, kindOfFile } from "../src/upload/input.ts";

const READ = /^image\/(?:jpeg|png|webp|gif|avif)$/;

it.each(FILE_KINDS)("a file that begins with $head is $contentType", async ({ head, contentType, name }) => {
  const file = new Blob([Buffer.from(head.padEnd(1_500, "x"), "latin1")]);
  expect(await contentTypeOf(file)).toBe(contentType);
  const problem = unreadable(await kindOfFile(file));
  const isSent = name === null || contentType.startsWith("video/") || READ.test(contentType);
  if (isSent) expect(problem).toBeUndefined();
  else expect(problem).toMatch(`image_format_unsupported: The file is ${name}, which`);
});

it("its own type counts only if its bytes are of no known format", async () => {
  expect(await contentTypeOf(new Blob(["GIF89a"], { type: "image/png" }))).toBe("image/gif");
  expect(await contentTypeOf(new Blob(["%PDF-1.7"], { type: "image/png" }))).toBe("application/octet-stream");
  expect(await contentTypeOf(new Blob(["something"], { type: "image/png" }))).toBe("image/png");
  expect(await contentTypeOf(new Blob(["something"], { type: "text/plain" }))).toBe(
    "application/octet-stream",
  );
});

const python = pythonWith("httpx");
it.skipIf(python === null)("in Python as in TypeScript", async () => {
  const env = { ...process.env, PYTHONPATH: join(PROJECT_ROOT, "python/src"), PYTHONDONTWRITEBYTECODE: "1" };
  const file = join(PROJECT_ROOT, "python/test/test_file_kinds.py");
  const { stderr } = await promisify(execFile)(python ?? "", [file], { env });
  expect(stderr).toMatch(/^Ran 1 test in .*\n\nOK$/m);
});
