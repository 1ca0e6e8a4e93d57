import { hasEnded } from "../../wait/watch.ts";
import { clientOf } from "../account/client.ts";
import { type Command, parse } from "../command/parse.ts";
import type { Terminal } from "../terminal.ts";
import { onlyJobId, printJob } from "./job.ts";

const CANCEL_HELP = `Cancels a running job. Results so far are kept; the rest costs nothing.

  segmentation-client cancel job_019aa0f61c4e7d2d9be7a5f40b8a6c21

  --json           print the job as JSON
  --base-url URL   the service (default: that of your last login)`;

const DELETE_HELP = `Deletes a job and its results, immediately and permanently. Keeps local files.

  segmentation-client delete job_019aa0f61c4e7d2d9be7a5f40b8a6c21

  --base-url URL   the service (default: that of your last login)`;

async function cancel(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse("cancel", args, {});
  const jobId = onlyJobId("cancel", positionals);
  const { api } = await clientOf(terminal, values);
  const options = { signal: terminal.signal };
  const before = await api.retrieveJob({ jobId }, options);
  const job = hasEnded(before) ? before : await api.cancelJob({ jobId }, options);
  if (hasEnded(before)) terminal.report(`${jobId} had already ended: nothing was canceled.`);
  printJob(terminal, job, values.json === true);
  return 0;
}

async function remove(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse("delete", args, {});
  const jobId = onlyJobId("delete", positionals);
  const { api } = await clientOf(terminal, values);
  await api.deleteJob({ jobId }, { signal: terminal.signal });
  terminal.report(`Deleted ${jobId}.`);
  return 0;
}

export const CANCEL: Command = {
  summary: "cancel a running job",
  help: CANCEL_HELP,
  options: {},
  run: cancel,
};
export const DELETE: Command = {
  summary: "delete a job and its results",
  help: DELETE_HELP,
  options: {},
  run: remove,
};
