import { effect } from "@preact/signals";
import { deleteOriginal, saveOriginal } from "./originals.ts";
import { bytesOf, type Picture, taskIdOf } from "../rules/picture.ts";
import type { Workspace } from "../workspace.ts";
import {
  unsentFileId,
  deleteSaved,
  type SavedWorkspace,
  savedWorkspaces,
  thisTab,
  write,
} from "./saved-workspace.ts";

/** Limit of the files that are saved together: writing larger ones takes as long as sending them. */
const MOST_BYTES = 128 * 1024 * 1024;

/** Ends the autosave of a workspace; the saved data stays, or is deleted. */
export type EndAutosave = (what: "stays" | "is forgotten") => void;

const filesOf = ({ pictures, later }: Workspace): readonly Picture[] => [...pictures.peek(), ...later.peek()];

/** Saves a workspace whenever it changes. */
export function autosave(workspace: Workspace): EndAutosave {
  const { accountId } = workspace.owner;
  // Those of a restored workspace are saved already.
  const files = new Set(workspace.opening.peek() ? filesOf(workspace).map(({ key }) => key) : []);
  const deleteFile = (key: string): void => {
    files.delete(key);
    const isElsewhere = savedWorkspaces().some(
      ({ id, pictures, later }) =>
        id !== workspace.savedId.peek() && [...pictures, ...later].some((picture) => picture.key === key),
    );
    if (!isElsewhere) void deleteOriginal(accountId, unsentFileId(key));
  };
  const dispose = effect(() => {
    // While it is being restored, its files are not loaded yet.
    if (workspace.opening.value || workspace.owner.signal.aborted) return;
    const all = workspace.pictures.value;
    const later = workspace.later.value;
    if (all.length === 0) deleteSaved({ id: workspace.savedId.value });
    else write(savedOf(workspace));
    const unsent = all.filter((picture) => taskIdOf(picture) === null);
    const fitting = [unsent, [...unsent, ...later]].filter((each) => bytesOf(each).total <= MOST_BYTES);
    const wanted = new Map((fitting.at(-1) ?? []).map((picture) => [picture.key, picture]));
    for (const { key, name, file } of wanted.values()) {
      if (file === null || files.has(key)) continue;
      files.add(key);
      void saveOriginal(accountId, unsentFileId(key), { name, file });
    }
    for (const key of files) if (!wanted.has(key)) deleteFile(key);
  });
  return (what) => {
    dispose();
    if (what === "stays") return;
    deleteSaved({ id: workspace.savedId.peek() });
    files.forEach(deleteFile);
  };
}

const savedPicture = ({ key, name, address, sending }: Picture): SavedWorkspace["pictures"][number] => ({
  key,
  name,
  address: address?.href ?? null,
  sending: sending.at === "sent" ? sending : { at: "here" },
});

/** Returns a workspace as this browser saves it. */
export const savedOf = (workspace: Workspace): SavedWorkspace => ({
  id: workspace.savedId.value,
  accountId: workspace.owner.accountId,
  tab: thisTab(),
  usedAt: Date.now(),
  isDraft: workspace.isDraft.value,
  isSending: workspace.going.value.at === "sending",
  type: workspace.type.value,
  fps: workspace.fps.value,
  prompts: workspace.prompts.value,
  threshold: workspace.threshold.value,
  pictures: workspace.pictures.value.map(savedPicture),
  later: workspace.later.value.map(savedPicture),
  asked: workspace.asked.value,
  request: workspace.request.value,
  pointed: workspace.pointed.value,
  regions: workspace.regions.value,
  edits: [...workspace.edits.value],
  verdicts: [...workspace.verdicts.value],
  notes: [...workspace.notes.value],
  hidden: [...workspace.hidden.value],
  accepted: [...workspace.acceptedObjects.value],
  base: workspace.base.value && { ...workspace.base.value, fields: [...workspace.base.value.fields] },
  isUnsaved: workspace.keeping.value.at !== "saved",
  firstJob: workspace.firstJob.value,
  searches: workspace.searches.value,
  classes: workspace.classes.value,
});
