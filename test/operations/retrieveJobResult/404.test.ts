import { describe } from "vitest";
import { itHidesForeignJobs } from "../../support/worker/absent-job.ts";

describe("retrieveJobResult 404", () => {
  itHidesForeignJobs("GET", "/result");
});
