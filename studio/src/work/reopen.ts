import { keepOriginal } from "./originals.ts";
import { type Picture, taskIdOf } from "./picture.ts";
import type { Work } from "./work.ts";

/** Takes the file of a picture or clip that this browser did not have, and keeps it. */
export async function reopen(work: Work, picture: Picture, file: File): Promise<void> {
  work.change(picture.key, { file, name: file.name });
  const taskId = taskIdOf(picture);
  if (taskId !== null) await keepOriginal(taskId, { name: file.name, file });
}
