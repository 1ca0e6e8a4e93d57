import { batch } from "@preact/signals";
import { findOriginal } from "./originals.ts";
import type { Owner } from "../service/owner.ts";
import { type Picture, taskIdOf } from "../rules/picture.ts";
import type { Attempt } from "../rules/pointed-objects.ts";
import { Workspace } from "../workspace.ts";
import { unsentFileId, type SavedWorkspace, thisTab } from "./saved-workspace.ts";

/** Sets an attempt to waiting: it is requested again; if it has a job, only its mask is. A reload keeps new objects. */
const resumed = (attempt: Attempt): Attempt => ({ ...attempt, state: "waiting", isDecoded: false });

/** Restores a saved workspace. Its files are loaded later: see `findFiles`. Another tab's workspace stays with that tab. */
export function restored(saved: SavedWorkspace, owner: Owner): Workspace {
  const workspace = new Workspace(owner);
  batch(() => {
    workspace.opening.value = true;
    if (saved.tab === thisTab()) workspace.savedId.value = saved.id;
    workspace.isDraft.value = saved.isDraft;
    workspace.wasCutOff.value = saved.isSending;
    workspace.type.value = saved.type;
    workspace.fps.value = saved.fps;
    workspace.prompts.value = saved.prompts;
    workspace.threshold.value = saved.threshold;
    workspace.asked.value = saved.asked;
    workspace.request.value = saved.request;
    workspace.pointed.value = saved.pointed.map((object) => {
      const [first, ...rest] = object.attempts;
      return { ...object, attempts: [resumed(first), ...rest.map(resumed)] };
    });
    workspace.regions.value = saved.regions;
    workspace.edits.value = new Map(saved.edits);
    workspace.verdicts.value = new Map(saved.verdicts);
    workspace.notes.value = new Map(saved.notes);
    workspace.hidden.value = new Set(saved.hidden);
    workspace.acceptedObjects.value = new Set(saved.accepted);
    workspace.base.value = saved.base && { ...saved.base, fields: new Map(saved.base.fields) };
    if (saved.isUnsaved) workspace.keeping.value = { at: "changed" };
    workspace.firstJob.value = saved.firstJob;
    workspace.searches.value = saved.searches;
    workspace.classes.value = saved.classes;
    workspace.pictures.value = saved.pictures.map(withoutFile);
    workspace.later.value = saved.later.map(withoutFile);
  });
  return workspace;
}

const withoutFile = ({ key, name, address, sending }: SavedWorkspace["pictures"][number]): Picture => ({
  key,
  name,
  file: null,
  address: address === null ? null : new URL(address),
  sending,
});

/** Returns true if neither this browser nor the service has it. */
const isLost = ({ file, address, sending }: Picture): boolean =>
  file === null && address === null && sending.at === "here";

/** Loads the files of a restored workspace. */
export async function findFiles(workspace: Workspace): Promise<void> {
  const { accountId } = workspace.owner;
  const withFile = async (picture: Picture): Promise<Picture> => {
    const original = await findOriginal(accountId, taskIdOf(picture) ?? unsentFileId(picture.key));
    return { ...picture, file: original?.file ?? null };
  };
  const found = await Promise.all(workspace.pictures.value.map(withFile));
  const later = await Promise.all(workspace.later.value.map(withFile));
  batch(() => {
    workspace.pictures.value = found.filter((picture) => !isLost(picture));
    workspace.later.value = later.filter((picture) => !isLost(picture));
    workspace.refused.value = [...found, ...later]
      .filter(isLost)
      .map(({ name }) => `${name} is no longer in this browser. Choose it again.`);
    workspace.opening.value = false;
  });
}
