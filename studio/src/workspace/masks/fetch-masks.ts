import type { FoundJob } from "../service/found-job.ts";
import type { Instance } from "../rules/instances.ts";
import { onceOnline } from "../service/once-online.ts";
import { taskIdOf } from "../rules/picture.ts";
import { withUnder } from "./background-colors.ts";
import type { Workspace } from "../workspace.ts";

/** The masks of a picture that the workspace's job has found so far, fetched once; none if there is no such job. @throws SegmentationError */
export async function fetchMasks(workspace: Workspace, key: string): Promise<readonly Instance[]> {
  const found = workspace.found.peek();
  const picture = workspace.picture(key);
  const taskId = picture === undefined ? null : taskIdOf(picture);
  // Of a picture that is not done, or has failed, nothing was found.
  if (taskId === null || found?.confidences.has(taskId) !== true) return [];
  const there = workspace.instances.peek().get(key);
  if (there !== undefined) return there;
  return await workspace.runner.masks.do(`${found.jobId}/${key}`, () =>
    fetchOf(workspace, found, taskId, key),
  );
}

async function fetchOf(
  workspace: Workspace,
  found: FoundJob,
  taskId: string,
  key: string,
): Promise<readonly Instance[]> {
  const instances = await withUnder(
    workspace,
    key,
    await onceOnline(async () => await found.instances(taskId)),
  );
  if (workspace.found.peek() === found)
    workspace.instances.value = new Map(workspace.instances.peek()).set(key, instances);
  return instances;
}

/** Fetches the masks of a picture that is shown; if that fails, the workspace has the error. */
export async function showMasks(workspace: Workspace, key: string): Promise<void> {
  try {
    await fetchMasks(workspace, key);
  } catch (error) {
    workspace.problem.value = { error, of: "masks" };
  }
}
