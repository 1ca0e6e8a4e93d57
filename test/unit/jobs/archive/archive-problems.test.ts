import { expect, it } from "vitest";
import { archiveProblem } from "../../../../src/jobs/rules/archive-problems.ts";

it("why there is no archive is given as a code and a sentence that names what is missing, or how much is too much", () => {
  const missing = archiveProblem("archive_output_missing", { key: "masks/a.png/0.png" });
  expect(missing).toMatch(/^archive_output_missing: .*masks\/a\.png\/0\.png.*\.$/);
  expect(archiveProblem("archive_too_many_files", { limit: 65_535 })).toMatch(
    /^archive_too_many_files: .*65535.*\.$/,
  );
  expect(archiveProblem("archive_too_often")).toMatch(/^archive_too_often: .+\.$/);
  expect(archiveProblem("archive_failed")).toMatch(/^archive_failed: .+\.$/);
});
