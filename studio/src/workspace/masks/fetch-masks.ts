import type { FoundJob } from "../service/found-job.ts";
import type { Instance } from "../rules/instances.ts";
import { onceOnline } from "../service/once-online.ts";
import { taskIdOf } from "../rules/picture.ts";
import { withUnder } from "./background-colors.ts";
import type { Work } from "../workspace.ts";

/** The masks of a picture that the work's job has found so far, fetched once; none if there is no such job. @throws SegmentationError */
export async function fetchMasks(work: Work, key: string): Promise<readonly Instance[]> {
  const found = work.found.peek();
  const picture = work.picture(key);
  const taskId = picture === undefined ? null : taskIdOf(picture);
  // Of a picture that is not done, or has failed, nothing was found.
  if (taskId === null || found?.confidences.has(taskId) !== true) return [];
  const there = work.instances.peek().get(key);
  if (there !== undefined) return there;
  return await work.runner.masks.do(`${found.jobId}/${key}`, () => fetchOf(work, found, taskId, key));
}

async function fetchOf(
  work: Work,
  found: FoundJob,
  taskId: string,
  key: string,
): Promise<readonly Instance[]> {
  const instances = await withUnder(work, key, await onceOnline(async () => await found.instances(taskId)));
  if (work.found.peek() === found) work.instances.value = new Map(work.instances.peek()).set(key, instances);
  return instances;
}

/** Fetches the masks of a picture that is looked at; if that fails, the work has why. */
export async function showMasks(work: Work, key: string): Promise<void> {
  try {
    await fetchMasks(work, key);
  } catch (error) {
    work.problem.value = { error, of: "masks" };
  }
}
