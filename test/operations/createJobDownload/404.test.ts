import { describe } from "vitest";
import { itHidesForeignJobs } from "../../support/worker/absent-job.ts";

describe("createJobDownload 404", () => {
  itHidesForeignJobs("POST", "/download");
});
