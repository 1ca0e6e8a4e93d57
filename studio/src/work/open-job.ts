import { batch } from "@preact/signals";
import { api } from "../state/session.ts";
import { promptsKept } from "./kept-prompts.ts";
import { findOriginal, keepOriginal } from "./originals.ts";
import { onceOnline } from "./patience.ts";
import { type Picture, pictureOfTask, taskIdOf } from "./picture.ts";
import { lastOf, takenUp } from "./pointed.ts";
import { takeDrawn } from "./point.ts";
import { follow, takeFound } from "./run.ts";
import { IDLE, Work } from "./work.ts";

/** Takes up a work by its jobs: the first one, and those of objects that were pointed at. What is running continues. */
export function openJob(jobId: string, others: readonly string[]): Work {
  const work = new Work();
  void load(work, jobId, others);
  return work;
}

async function load(work: Work, jobId: string, others: readonly string[]): Promise<void> {
  work.opening.value = true;
  work.going.value = { at: "running" };
  try {
    const job = await onceOnline(async () => await api.value.retrieveJob({ jobId }));
    const pictures = await Promise.all(
      job.tasks.map(async ({ taskId }) => pictureOfTask(taskId, await findOriginal(taskId))),
    );
    batch(() => {
      work.type.value = job.type;
      work.pictures.value = pictures;
      work.prompts.value = promptsKept(jobId);
      work.job.value = job;
    });
    if (job.status === "success") await takeFound(work);
    const first = becomesPointed(work);
    const drawing = await takeUpPointed(work, first === null ? others : [first, ...others]);
    work.opening.value = false;
    if (first === null && job.status !== "success") {
      await follow(work, jobId);
      const drawn = becomesPointed(work);
      if (drawn !== null) await (await takeUpPointed(work, [drawn]))();
    }
    if (work.prompts.value.length === 0) work.prompts.value = await promptsOf(work);
    await drawing();
  } catch (error) {
    work.problem.value = { error, of: "opening" };
  } finally {
    work.opening.value = false;
    work.going.value = IDLE;
  }
}

/** What the prompts of the work's job were, by its result; none if it has no result. */
async function promptsOf({ job, found }: Work): Promise<readonly string[]> {
  if (found.value !== null) return found.value.prompts;
  if (job.value?.type !== "video" || job.value.status !== "success") return [];
  const { jobId } = job.value;
  return (await onceOnline(async () => await api.value.retrieveJobResult({ jobId }))).manifest.prompts;
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

/** Takes up the jobs of objects that were pointed at; gives what fetches their masks. */
async function takeUpPointed(work: Work, jobIds: readonly string[]): Promise<() => Promise<void>> {
  const jobs = await Promise.all(jobIds.map(async (jobId) => await api.value.retrieveJob({ jobId })));
  const taken = jobs.flatMap(({ jobId, tasks: [task] }) => {
    const picture = work.pictureOf(task?.taskId ?? "");
    if (picture === undefined || task === undefined) return [];
    work.pointed.value = takenUp(work.pointed.value, picture.key, jobId);
    const object = work.pointed.value.at(-1);
    return object === undefined ? [] : [{ number: lastOf(object).number, jobId, taskId: task.taskId }];
  });
  return async () => {
    for (const { number, jobId, taskId } of taken) await takeDrawn(work, number, jobId, taskId);
  };
}

/** Takes the file of a picture or clip that this browser did not have, and keeps it. */
export async function reopen(work: Work, picture: Picture, file: File): Promise<void> {
  work.change(picture.key, { file, name: file.name });
  const taskId = taskIdOf(picture);
  if (taskId !== null) await keepOriginal(taskId, { name: file.name, file });
}
