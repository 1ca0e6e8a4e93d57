import type { JobSummary } from "../../schemas.ts";
import { clientOf } from "../account/client.ts";
import { type Command, numberOf, parse } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import { printList } from "../print/table.ts";
import type { Terminal } from "../terminal.ts";

const HELP = `Lists your jobs, newest first.

  segmentation-client jobs
  segmentation-client jobs --status processing
  segmentation-client jobs --limit 500 --json

  --limit N        list at most N jobs (default 20)
  --status STATUS  only jobs that are queued, processing, success or failed
  --json           print JSON
  --base-url URL   the service (default: that of your last login)`;

const STATUSES = ["queued", "processing", "success", "failed"] as const;
const OPTIONS = { limit: { type: "string" }, status: { type: "string" } } as const;
const PAGE = 100;

async function jobs(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse("jobs", args, OPTIONS);
  if (positionals.length > 0)
    throw usageFailure(`For one job, run: segmentation-client job ${positionals[0]}`);
  const limit = numberOf("limit", values.limit, { least: 1, isWhole: true }) ?? 20;
  const status = STATUSES.find((one) => one === values.status);
  if (values.status !== undefined && status === undefined)
    throw usageFailure(`--status takes ${STATUSES.join(", ")}, not "${values.status}".`);
  const { api } = await clientOf(terminal, values);
  const found: JobSummary[] = [];
  const query = { limit: Math.min(limit, PAGE), ...(status && { status }) };
  for await (const job of api.listJobs(query, { signal: terminal.signal })) {
    found.push(job);
    if (found.length === limit) break;
  }
  printList(terminal, found, {
    isJson: values.json,
    none: status ? `There are no jobs that are ${status}.` : "There are no jobs yet.",
    heading: ["job", "mode", "files", "status", "created"],
    row: (job) => [
      job.jobId,
      job.processingMode,
      job.totalItems,
      job.status,
      job.createdAt.slice(0, 19).replace("T", " "),
    ],
  });
  return 0;
}

export const JOBS: Command = { summary: "list your jobs", help: HELP, options: OPTIONS, run: jobs };
