import { batch } from "@preact/signals";
import { noteEmbedding } from "../decoding/instant.ts";
import type { Found } from "../service/found.ts";
import type { Instance } from "../rules/instances.ts";
import { onceOnline } from "../service/once-online.ts";
import { taskIdOf } from "../rules/picture.ts";
import { withUnder } from "./background-colors.ts";
import type { Workspace } from "../workspace.ts";

/** The masks of a picture that the searches on the screen have found so far, fetched once; none if there is no search. @throws SegmentationError */
export async function fetchMasks(workspace: Workspace, key: string): Promise<readonly Instance[]> {
  const found = workspace.found.peek();
  const picture = workspace.picture(key);
  const taskId = picture === undefined ? null : taskIdOf(picture);
  // Of a picture that is not done, or has failed, nothing was found.
  if (taskId === null || found?.confidences.has(taskId) !== true) return [];
  const there = workspace.instances.peek().get(key);
  if (there !== undefined && isWhole(there, found.confidences.get(taskId))) return there;
  return await workspace.runner.masks.do(`${found.sourcesOf(taskId)}/${key}`, () =>
    fetchOf(workspace, found, taskId, key),
  );
}

const isWhole = (there: readonly Instance[], confidences: readonly number[] = []): boolean =>
  there.length === confidences.length;

/**
 * Takes the results of the searches on the screen. Masks that are known already stay, if there are no others of their picture; those
 * of the open picture stay until the others are there.
 */
export function takeResults(workspace: Workspace, found: Found | null): void {
  const jobs = new Set(found?.jobs.map(({ jobId }) => jobId));
  const open = workspace.openPicture.peek()?.key;
  const left = [...workspace.instances.peek()].filter(([key, there]) => {
    const picture = workspace.picture(key);
    const taskId = picture === undefined ? null : taskIdOf(picture);
    const isOfThese = there.every(({ id }) => jobs.has(id.split("/")[0] ?? ""));
    if (found === null || taskId === null || !isOfThese) return false;
    return key === open || isWhole(there, found.confidences.get(taskId));
  });
  batch(() => {
    workspace.found.value = found;
    workspace.instances.value = new Map(left);
  });
}

async function fetchOf(
  workspace: Workspace,
  found: Found,
  taskId: string,
  key: string,
): Promise<readonly Instance[]> {
  for (const job of found.jobs) noteEmbedding(workspace, job, taskId);
  const instances = await withUnder(
    workspace,
    key,
    await onceOnline(async () => await found.instances(taskId)),
  );
  if (workspace.found.peek()?.sourcesOf(taskId) === found.sourcesOf(taskId))
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
