import { FOLDERS, type Format, type ToWrite } from "../../../node/save.ts";
import { ImageResult } from "../../../results/image-result.ts";
import type { VideoResult } from "../../../results/video-result.ts";
import type { Outcome } from "../journal/entries.ts";
import { clipDocument, pictureDocument } from "./documents.ts";
import { maskRows, trackRows } from "./rows.ts";

/** What was found in one file of a job: what to write of it, and what the journal keeps. */
export interface FoundIn extends Pick<Outcome, "masks" | "tracks"> {
  readonly files: readonly ToWrite[];
}

/** A file of a job, and how its results are called. */
interface Wanted {
  readonly taskId: string;
  readonly name: string;
  readonly formats: readonly Format[];
}

/** What was found in a picture or a clip. @param files of the whole job, as `filesToSave` gives them */
export async function foundIn(
  result: ImageResult | VideoResult,
  { taskId, name, formats }: Wanted,
  files: readonly ToWrite[],
): Promise<FoundIn> {
  const wanted = files.filter(
    ({ path, content }) =>
      keyOf(content).split("/")[1]?.startsWith(taskId) === true &&
      formats.some((format) => format !== "coco" && path.startsWith(`${FOLDERS[format]}/`)),
  );
  const withDocument = async (own: readonly ToWrite[], read: () => Promise<object>): Promise<ToWrite[]> => {
    if (!formats.includes("coco")) return [...own];
    return [...own, { path: `${FOLDERS.coco}/${name}.json`, content: JSON.stringify(await read()) }];
  };
  if (!(result instanceof ImageResult)) {
    const all = await withDocument(wanted, () => clipDocument(result, name));
    return { files: all, masks: [], tracks: trackRows(result) };
  }
  const picture = result.pictures.find((each) => each.taskId === taskId);
  if (picture === undefined) return { files: wanted, masks: [] };
  const pngs = new Map(picture.masks.map(({ index, png }) => [`masks/${taskId}/${index}.png`, png]));
  // Masks have been fetched already.
  const all = wanted.map(({ path, content }) => ({ path, content: pngs.get(keyOf(content)) ?? content }));
  return {
    files: await withDocument(all, () => pictureDocument(picture, name)),
    masks: maskRows(picture.masks),
  };
}

const keyOf = (content: ToWrite["content"]): string =>
  typeof content === "object" && "key" in content ? content.key : "";
