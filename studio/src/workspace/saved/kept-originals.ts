import { effect, untracked } from "@preact/signals";
import { onceOnline } from "../service/once-online.ts";
import { SignedInputs } from "../service/signed-inputs.ts";
import { type Picture, taskIdOf } from "../rules/picture.ts";
import type { Workspace } from "../workspace.ts";
import { saveOriginal } from "./originals.ts";

/** Gets the files that this browser does not have from the service, as long as that keeps them: the open one at once. */
export function showKeptOriginals(workspace: Workspace, jobId: string, signal: AbortSignal): void {
  const { owner } = workspace;
  const ask = async () => (await owner.api.retrieveJobInputs({ jobId }, { signal: owner.signal })).inputs;
  let isAsked = false;
  const open = async (): Promise<void> => {
    const kept = new SignedInputs(owner, ask, await onceOnline(ask));
    if (!signal.aborted) workspace.kept.value = kept;
  };
  const dispose = effect(() => {
    const isMissing = workspace.pictures.value.some((picture) => picture.file === null && taskIdOf(picture));
    if (isMissing && !isAsked) {
      isAsked = true;
      // Without them the masks are shown alone.
      void open().catch(() => {});
    }
    const picture = workspace.openPicture.value;
    if (workspace.kept.value === null || picture === null || workspace.isOverview.value) return;
    void untracked(() => show(workspace, picture));
  });
  signal.addEventListener("abort", dispose);
}

async function show(workspace: Workspace, { key, ...picture }: Picture): Promise<void> {
  const taskId = taskIdOf({ key, ...picture });
  if (picture.file !== null || taskId === null) return;
  try {
    const file = await workspace.original({ key, ...picture });
    const now = workspace.picture(key);
    if (file === null || now === undefined || now.file !== null) return;
    workspace.change(key, { file });
    await saveOriginal(workspace.owner.accountId, taskId, { name: now.name, file });
  } catch {
    // It was deleted in the meantime.
    workspace.kept.value = null;
  }
}
