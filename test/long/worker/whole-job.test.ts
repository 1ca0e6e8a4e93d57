// oxlint-disable import/no-unassigned-import -- each file is a suite, which runs where it is imported
/** One run of many: test/long/whole-job.test.ts. */
import "../../worker/jobs/duplicates.test.ts";
import "../../worker/jobs/whole-job.test.ts";
