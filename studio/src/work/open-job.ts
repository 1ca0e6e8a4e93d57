import { batch } from "@preact/signals";
import type { Inputs } from "./inputs.ts";
import { findFiles, type KeptWork, restored } from "./kept-works.ts";
import { findOriginal, keepOriginal } from "./originals.ts";
import type { Owner } from "./owner.ts";
import { onceOnline } from "./patience.ts";
import { type Picture, pictureOfTask, taskIdOf } from "./picture.ts";
import { refinedOf, takenUp } from "./pointed.ts";
import { drawAll } from "./point.ts";
import { follow, segment, takeFound } from "./run.ts";
import { IDLE, Work } from "./work.ts";

/** Takes up a work by its jobs: the first one, and those of objects that were pointed at. What is running continues. */
export function openJob(owner: Owner, jobId: string, others: readonly string[]): Work {
  const work = new Work(owner);
  work.opening.value = true;
  void asGoing(work, () => load(work, jobId, others));
  return work;
}

/** Takes up what a share's link shows: its job, and others of objects that were pointed at. */
export function openShared(owner: Owner, others: readonly string[], inputs: Inputs): Work {
  const work = new Work(owner);
  work.inputs = inputs;
  work.opening.value = true;
  work.open(null);
  void asGoing(work, () => load(work, inputs.share.jobId, others));
  return work;
}

/** Takes up a work as it was kept, with further jobs of objects that its path names. What is running continues. */
export function takeUp(kept: KeptWork, owner: Owner, others: readonly string[] = []): Work {
  const work = restored(kept, owner);
  void resume(work, others);
  return work;
}

async function resume(work: Work, others: readonly string[]): Promise<void> {
  await findFiles(work);
  const { jobId = null, isUnheard = false } = work.asked.value ?? {};
  const further = others.filter((other) => !work.jobIds.value.includes(other.split("~")[0] ?? ""));
  if (jobId !== null) void asGoing(work, () => follow(work, jobId));
  else if (isUnheard && work.request.value !== null) void segment(work, work.request.value);
  await takeUpPointed(work, further).catch((error: unknown) => failed(work, error));
}

function failed(work: Work, error: unknown): void {
  if (!work.owner.signal.aborted) work.problem.value = { error, of: "opening" };
}

/** Does something as the work's search. What it throws is why the work can't be opened. */
async function asGoing(work: Work, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    failed(work, error);
  } finally {
    work.opening.value = false;
    work.going.value = IDLE;
  }
}

async function load(work: Work, jobId: string, others: readonly string[]): Promise<void> {
  const { owner } = work;
  work.going.value = { at: "running" };
  const job = await onceOnline(async () => await owner.api.retrieveJob({ jobId }));
  const pictures = await Promise.all(
    job.tasks.map(async ({ taskId }, index) =>
      pictureOfTask(
        taskId,
        work.inputs === null
          ? await findOriginal(owner.accountId, taskId)
          : { name: job.type === "video" ? "Clip" : `Picture ${index + 1}`, file: null },
      ),
    ),
  );
  batch(() => {
    work.type.value = job.type;
    work.pictures.value = pictures;
    work.job.value = job;
  });
  if (job.status === "success") await takeFound(work);
  const first = becomesPointed(work);
  await takeUpPointed(work, first === null ? others : [first, ...others]);
  work.opening.value = false;
  if (first === null && job.status !== "success") {
    await follow(work, jobId);
    const drawn = becomesPointed(work);
    if (drawn !== null) await takeUpPointed(work, [drawn]);
  }
  if (work.prompts.value.length === 0) work.prompts.value = await promptsOf(work);
}

/** What the prompts of the work's job were, by its result; none if it has no result. */
async function promptsOf({ job, found, owner }: Work): Promise<readonly string[]> {
  if (found.value !== null) return found.value.prompts;
  if (job.value?.type !== "video" || job.value.status !== "success") return [];
  const { jobId } = job.value;
  return (await onceOnline(async () => await owner.api.retrieveJobResult({ jobId }))).manifest.prompts;
}

/** A job that segmented one object in one picture is not a search: it is restored as a selected object. Returns its id. */
function becomesPointed(work: Work): string | null {
  const found = work.found.value;
  if (found === null || found.prompts.length > 0 || work.pictures.value.length > 1) return null;
  batch(() => {
    work.job.value = null;
    work.found.value = null;
  });
  return found.jobId;
}

/** Takes up the jobs of objects that were pointed at; their masks follow. */
async function takeUpPointed(work: Work, named: readonly string[]): Promise<void> {
  const jobs = await Promise.all(
    named.map(async (name) => {
      const [jobId = "", object = ""] = name.split("~");
      const refines = refinedOf(object) ?? undefined;
      return { ...(await work.owner.api.retrieveJob({ jobId })), refines };
    }),
  );
  for (const { jobId, tasks, refines } of jobs) {
    const picture = work.pictureOf(tasks[0]?.taskId ?? "");
    if (picture !== undefined) work.pointed.value = takenUp(work.pointed.value, picture.key, jobId, refines);
  }
  void drawAll(work);
}

/** Takes the file of a picture or clip that this browser did not have, and keeps it. */
export async function reopen(work: Work, picture: Picture, file: File): Promise<void> {
  work.change(picture.key, { file, name: file.name });
  const taskId = taskIdOf(picture);
  if (taskId !== null) await keepOriginal(work.owner.accountId, taskId, { name: file.name, file });
}
