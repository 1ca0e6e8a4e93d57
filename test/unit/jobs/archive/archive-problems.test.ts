import { expect, it } from "vitest";
import { archiveProblem } from "../../../../src/jobs/rules/archive-problems.ts";

it("a missing archive's reason is a code and a sentence with the missing file or the exceeded limit", () => {
  const missing = archiveProblem("archive_output_missing", { key: "masks/a.png/0.png" });
  expect(missing).toMatch(/^archive_output_missing: .*masks\/a\.png\/0\.png.*\.$/);
  expect(archiveProblem("archive_too_many_files", { limit: 65_535 })).toMatch(
    /^archive_too_many_files: .*65535.*\.$/,
  );
  expect(archiveProblem("archive_too_often")).toMatch(/^archive_too_often: .+\.$/);
  expect(archiveProblem("archive_failed")).toMatch(/^archive_failed: .+\.$/);
});
