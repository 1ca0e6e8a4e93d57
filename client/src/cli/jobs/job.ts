import type { SegmentationClient } from "../../node/client.ts";
import { filesToSave, writeAll } from "../../node/save.ts";
import { ImageResult } from "../../results/image-result.ts";
import type { JobStatus } from "../../schemas.ts";
import { clientOf } from "../account/client.ts";
import { type Command, parse } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import { formatTable, harmless } from "../print/table.ts";
import { ProgressView } from "../progress/progress.ts";
import { counted } from "../progress/words.ts";
import { namesInJournals } from "../segment/output/output-folder.ts";
import type { Terminal } from "../terminal.ts";

const HELP = `Shows a job: its status, and that of each of its files.

  segmentation-client job job_019aa0f61c4e7d2d9be7a5f40b8a6c21
  segmentation-client job job_019aa0f61c4e7d2d9be7a5f40b8a6c21 --wait
  segmentation-client job job_019aa0f61c4e7d2d9be7a5f40b8a6c21 --save DIR

  --wait           wait until the job has ended
  --save DIR       wait, then save the results in a folder
  --annotated      save annotations.json (COCO) with people's corrections
  --json           print JSON
  --base-url URL   the service (default: that of your last login)

Results are named by their files if segment made the job, and its folder is DIR
or out, out-2, … here; otherwise by the ids of their uploads. The exit code is 1
if the job failed.`;

const OPTIONS = {
  wait: { type: "boolean" },
  save: { type: "string" },
  annotated: { type: "boolean" },
} as const;

/** The only job in the arguments. @throws Failure with exit code 2 */
export function onlyJobId(command: string, positionals: readonly string[]): string {
  const [jobId, ...rest] = positionals;
  if (jobId === undefined || rest.length > 0)
    throw usageFailure(
      `Name one job: segmentation-client ${command} JOB_ID. To list your jobs: segmentation-client jobs`,
    );
  return jobId;
}

/** Prints a job. Returns the exit code. */
export function printJob(terminal: Terminal, job: JobStatus, isJson: boolean): number {
  if (isJson) terminal.print(JSON.stringify(job, null, 2));
  else {
    terminal.print(
      `${job.jobId}: ${job.status}, ${counted(job.totalItems, "file")}, created ${job.createdAt}`,
    );
    const rows = job.tasks.map(({ taskId, status, error }) => [taskId, status, harmless(error ?? "")]);
    for (const line of formatTable(["task", "status", "problem"], rows)) terminal.print(line);
  }
  return job.status === "failed" ? 1 : 0;
}

async function showJob(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse("job", args, OPTIONS);
  const jobId = onlyJobId("job", positionals);
  const { annotated = false } = values;
  if (annotated && values.save === undefined)
    throw usageFailure("--annotated changes what is saved. Add --save DIR.");
  const { signal } = terminal;
  const client = await clientOf(terminal, values);
  let status = await client.api.retrieveJob({ jobId }, { signal });
  if (annotated && status.type === "video")
    throw usageFailure("This is a video's job: its COCO document has no corrections. Leave out --annotated.");
  if (values.wait === true || values.save !== undefined) {
    const view = new ProgressView(terminal);
    const ids = status.tasks.map(({ taskId }) => taskId);
    view.begin(ids, status.type === "video" ? null : undefined);
    try {
      for await (const update of client.watchJob(jobId, { signal })) {
        status = update.job;
        view.share(ids, update.progress);
      }
    } finally {
      view.end();
    }
  }
  const code = printJob(terminal, status, values.json === true);
  if (values.save !== undefined && code === 0) {
    const written = await saveResults(client, jobId, { folder: values.save, annotated }, signal);
    terminal.report(`Saved ${counted(written.length, "file")} in ${values.save}.`);
  }
  return code;
}

/** Saves a job's results under the names of their files that a journal has. Returns the paths. */
async function saveResults(
  client: SegmentationClient,
  jobId: string,
  { folder, annotated }: { readonly folder: string; readonly annotated: boolean },
  signal: AbortSignal,
): Promise<string[]> {
  const names = namesInJournals(jobId, folder);
  const result = await client.job(jobId, names).result({ signal });
  const files = filesToSave(result.files, undefined, names);
  if (result instanceof ImageResult)
    files.push({
      path: "annotations.json",
      content: JSON.stringify(await result.coco({ annotated, signal })),
    });
  return await writeAll(folder, result.files, files, signal);
}

export const JOB: Command = {
  summary: "show a job, wait for it, save its results",
  help: HELP,
  options: OPTIONS,
  run: showJob,
};
