import { describe } from "vitest";
import { itHidesForeignJobs } from "../../support/worker/absent-job.ts";

describe("retrieveJob 404", () => {
  itHidesForeignJobs("GET", "");
});
