import { annotationIdOf, imageIdOf } from "@segmentation/protocol";
import { AnnotationsFile } from "./annotations-file.ts";
import { cocoShapeOf } from "./coco-shape.ts";
import type { FormatWriter, Subject } from "./format-writer.ts";
import { MOST_TEXT_BYTES } from "./limits.ts";

/** Writes a picture's masks as a COCO document; its ids are unique in the whole job. */
export async function openCoco(
  { folder, taskId, index, picture, categories }: Subject,
  mostBytes = MOST_TEXT_BYTES,
): Promise<FormatWriter> {
  const image_id = imageIdOf(index);
  const { width, height } = picture;
  const images = [{ id: image_id, width, height, file_name: taskId }];
  const head = { images, categories };
  const file = await AnnotationsFile.open(folder, head, mostBytes);
  return {
    add: ({ maskIndex, categoryId, score, runs }) =>
      file.add({
        id: annotationIdOf(index, maskIndex),
        image_id,
        category_id: categoryId,
        ...cocoShapeOf(runs),
        score,
        iscrowd: 0,
      }),
    finish: async () => [await file.finish()],
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
