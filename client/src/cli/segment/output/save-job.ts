import { mapParallel } from "../../../http/parallel.ts";
import type { SegmentationClient } from "../../../node/client.ts";
import { filesToSave, type Format } from "../../../node/save.ts";
import type { JobStatus } from "../../../schemas.ts";
import type { Outcome } from "../journal/entries.ts";
import type { Journal } from "../journal/journal.ts";
import type { OpenJob } from "../journal/state.ts";
import { foundIn } from "./found-in.ts";
import type { Store } from "./store.ts";

/** The results to save, and their destination. */
export interface Saving {
  readonly client: SegmentationClient;
  readonly journal: Journal;
  readonly store: Store;
  readonly formats: readonly Format[];
  readonly signal: AbortSignal;
}

/** The number of files that are saved concurrently, each with its masks and previews. */
const AT_A_TIME = 6;

/** Saves a job's results file by file, and notes each in the journal once it is complete; skips noted ones. */
export async function saveJob(saving: Saving, job: OpenJob, status: JobStatus): Promise<void> {
  const { client, journal, store, formats, signal } = saving;
  const { jobId } = status;
  const result = status.status === "failed" ? undefined : await client.result(jobId, { signal });
  const names = new Map(
    job.inputs.map(({ id }, i) => [job.request.tasks[i] ?? "", journal.state.readings.get(id)?.name ?? id]),
  );
  const files = result === undefined ? [] : filesToSave(result.files, undefined, names);
  const ended = new Map(status.tasks.map((task) => [task.taskId, task]));
  await mapParallel(job.inputs, AT_A_TIME, signal, async ({ id, digest }, i) => {
    const { outcomes, readings } = journal.state;
    const taskId = job.request.tasks[i] ?? "";
    const task = ended.get(taskId);
    // The file has changed since, and another job segments its new bytes.
    const isOutdated = readings.get(id)?.digest !== digest;
    if (outcomes.get(id)?.jobId === jobId || isOutdated || task === undefined) return;
    const outcome = {
      id,
      digest,
      jobId,
      problem: task.error ?? (task.status === "failed" ? status.error : null),
      hasFailed: task.status === "failed",
    };
    if (result === undefined || outcome.hasFailed)
      return await note(saving, { ...outcome, files: [], masks: [] });

    const name = names.get(taskId) ?? id;
    const found = await foundIn(result, { taskId, name, formats }, files);
    await store.write(result.files, found.files, signal);
    await note(saving, { ...outcome, ...found, files: found.files.map(({ path }) => path) });
  });
  journal.append({ entry: "ended", key: job.key });
}

/** Notes an outcome, and deletes files of the input's earlier outcome that this one lacks. */
export async function note(
  { journal, store }: Pick<Saving, "journal" | "store">,
  outcome: Outcome,
): Promise<void> {
  const before = journal.state.outcomes.get(outcome.id)?.files ?? [];
  const left = new Set(outcome.files);
  for (const path of before) if (!left.has(path)) await store.remove(path);
  journal.append({ entry: "outcome", ...outcome });
}
