import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERROR_CATALOGUE, ServiceError } from "../../../src/shared/errors.ts";

describe("the errors' page", () => {
  const page = readFileSync("docs/errors.md", "utf8");

  it("lists the catalog, each code with its status and sentence [7-15]", () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.*) \|$/gm)].map((row) => row.slice(1, 4));
    const catalogue = Object.entries(ERROR_CATALOGUE).map(([code, [status, message]]) => [
      code,
      String(status),
      message,
    ]);
    expect(rows).toEqual(catalogue);
  });
});

describe("an error of the service", () => {
  it("has its code, the code's status, and the code's sentence, with no hints", () => {
    expect(new ServiceError("job_not_found")).toMatchObject({
      name: "ServiceError",
      code: "job_not_found",
      status: 404,
      message: ERROR_CATALOGUE.job_not_found[1],
      hints: {},
    });
  });

  it("has a more specific sentence and hints if they help", () => {
    const error = new ServiceError("active_job_exists", "Wait for job_1.", { activeJobId: "job_1" });
    expect(error).toMatchObject({
      code: "active_job_exists",
      status: 409,
      message: "Wait for job_1.",
      hints: { activeJobId: "job_1" },
    });
  });
});
