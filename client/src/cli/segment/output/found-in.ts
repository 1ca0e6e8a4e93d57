import { ASSETS } from "../../../contract.ts";
import { readJson } from "../../../http/read.ts";
import { type Format, type ToWrite, folderOf } from "../../../node/save.ts";
import { assetKey } from "../../../results/assets.ts";
import { categoryOf, type CocoDocument } from "../../../results/coco.ts";
import { ImageResult } from "../../../results/image-result.ts";
import type { Mask } from "../../../results/mask.ts";
import type { Picture } from "../../../results/picture.ts";
import type { Clip, VideoResult } from "../../../results/video-result.ts";
import type { MaskRow, Outcome, TrackRow } from "../journal/entries.ts";

/** Results of one file of a job: the files to write, and the rows for the journal. */
export interface FoundIn extends Pick<Outcome, "masks" | "tracks"> {
  readonly files: readonly ToWrite[];
}

/** A file of a job, and the name of its results. */
interface Wanted {
  readonly taskId: string;
  readonly name: string;
  readonly formats: readonly Format[];
}

/** Results of a picture or a video. @param files of the whole job, as `filesToSave` gives them */
export async function foundIn(
  result: ImageResult | VideoResult,
  { taskId, name, formats }: Wanted,
  files: readonly ToWrite[],
): Promise<FoundIn> {
  const wanted = files.filter(
    ({ path, content }) =>
      keyOf(content).split("/")[1]?.startsWith(taskId) === true &&
      formats.some((format) => format !== "coco" && path.startsWith(`${folderOf(format)}/`)),
  );
  const withDocument = async (own: readonly ToWrite[], read: () => Promise<object>): Promise<ToWrite[]> => {
    if (!formats.includes("coco")) return [...own];
    return [...own, { path: `${folderOf("coco")}/${name}.json`, content: JSON.stringify(await read()) }];
  };
  if (!(result instanceof ImageResult)) {
    const all = await withDocument(wanted, () => clipDocument(result, name));
    return { files: all, masks: [], tracks: trackRows(result) };
  }
  const picture = result.pictures.find((each) => each.taskId === taskId);
  if (picture === undefined) return { files: wanted, masks: [] };
  const pngs = new Map(
    picture.masks.map(({ index, png }) => [assetKey(ASSETS.image.masks, taskId, index), png]),
  );
  // The masks have already been fetched.
  const all = wanted.map(({ path, content }) => ({ path, content: pngs.get(keyOf(content)) ?? content }));
  return {
    files: await withDocument(all, () => pictureDocument(picture, name)),
    masks: maskRows(picture.masks),
  };
}

const keyOf = (content: ToWrite["content"]): string =>
  typeof content === "object" && "key" in content ? content.key : "";

/** The journal's rows of masks. */
const maskRows = (masks: readonly Mask[]): MaskRow[] =>
  masks.map((mask) => {
    const { confidence, box, area } = mask;
    return { prompt: categoryOf(mask), confidence, box, area };
  });

/** The journal's rows of a video's objects. */
const trackRows = ({ tracks }: Clip): TrackRow[] =>
  tracks.map(({ objectId, sightings, ...named }) => ({
    objectId,
    prompt: categoryOf(named),
    firstSec: sightings[0]?.timeSec ?? 0,
    lastSec: sightings.at(-1)?.timeSec ?? 0,
    frames: sightings.length,
    confidence: sightings.reduce((sum, sighting) => sum + sighting.confidence, 0) / sightings.length,
  }));

/** A picture's COCO document, with the name of its results. */
async function pictureDocument(picture: Picture, name: string): Promise<CocoDocument> {
  const { images, ...document } = await picture.coco();
  return { ...document, images: images.map((image) => Object.assign({}, image, { file_name: name })) };
}

/** A video's COCO document: its frames are in a folder with the video's name. */
async function clipDocument({ files, taskId }: VideoResult, name: string): Promise<CocoDocument> {
  const { images, ...document } = await files.read(
    assetKey(ASSETS.video.coco, taskId),
    readJson<CocoDocument>,
  );
  const framesOf = (file: string): string => `${name}/${file.split("/").at(-1) ?? file}`;
  return {
    ...document,
    images: images.map((image) => Object.assign({}, image, { file_name: framesOf(image.file_name) })),
  };
}
