import { counted } from "../../text/format.ts";
import { lastOf } from "../rules/pointed-objects.ts";
import { hasPendingRegions, type SavedWorkspace } from "./saved-workspace.ts";

/** Names the parts of a saved workspace that only this browser has. */
export function onlyHere(saved: SavedWorkspace): string[] {
  const { pictures, later, pointed, isUnsaved } = saved;
  const unsent = [...pictures, ...later].filter(
    ({ sending, address }) => sending.at !== "sent" && address === null,
  );
  const fresh = pointed.filter((object) => lastOf(object).state === "new").length;
  const name = pictures[0]?.name || "a job";
  return [
    ...(unsent.length > 0 ? [`${counted(unsent.length, "file")} not sent yet: ${namesOf(unsent)}`] : []),
    ...(fresh > 0 ? [`${counted(fresh, "new object")} not kept yet`] : []),
    ...(hasPendingRegions(saved) ? [`Points, boxes and names in ${name} that no job has yet`] : []),
    ...(isUnsaved ? [`Changes to ${name} that are not saved`] : []),
  ];
}

/** More files are counted. */
const MOST_NAMES = 10;

function namesOf(files: SavedWorkspace["pictures"]): string {
  const names = files.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = files.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}
