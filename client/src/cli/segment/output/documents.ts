import type { CocoDocument } from "../../../coco/document.ts";
import { readJson } from "../../../http/read.ts";
import type { Picture } from "../../../results/picture.ts";
import type { VideoResult } from "../../../results/video-result.ts";

/** A picture's COCO document, with the name that its results have. */
export async function pictureDocument(picture: Picture, name: string): Promise<CocoDocument> {
  const { images, ...document } = await picture.coco();
  return { ...document, images: images.map((image) => Object.assign({}, image, { file_name: name })) };
}

/** A clip's COCO document: its frames lie in a folder of the clip's name. */
export async function clipDocument({ files, taskId }: VideoResult, name: string): Promise<CocoDocument> {
  const { images, ...document } = await files.read(`annotations/${taskId}.json`, readJson<CocoDocument>);
  const framesOf = (file: string): string => `${name}/${file.split("/").at(-1) ?? file}`;
  return {
    ...document,
    images: images.map((image) => Object.assign({}, image, { file_name: framesOf(image.file_name) })),
  };
}
