import { categoriesOf, type Category, type ResultFormat, nameOf } from "@segmentation/protocol";
import type { ImageTask, TaskHooks } from "../messages.ts";
import type { Picture, PictureEmbedding } from "../models/model.ts";
import { openCoco } from "./coco.ts";
import { openCutouts } from "./cutout.ts";
import { openEmbedding } from "./embedding.ts";
import type { FormatWriter, Subject } from "./format-writer.ts";
import { openLabelmap } from "./labelmap.ts";
import { openYolo } from "./yolo.ts";

const OPEN: Readonly<Record<ResultFormat, (subject: Subject) => FormatWriter | Promise<FormatWriter>>> = {
  coco: openCoco,
  yolo: openYolo,
  cutout: openCutouts,
  labelmap: openLabelmap,
  embedding: openEmbedding,
};

/** The categories of a picture's task: its formats have those of the whole job. */
export const categoriesOfTask = ({ prompts, formats, regions = [] }: ImageTask): Category[] =>
  categoriesOf(prompts, formats?.regionNames ?? regions.map(nameOf));

/**
 * Writes a picture's masks in all formats that its task requests.
 * @param embedding the picture's, if it is one of the formats
 */
export async function openFormats(
  task: ImageTask,
  picture: Picture,
  hooks: TaskHooks,
  embedding?: PictureEmbedding,
): Promise<FormatWriter> {
  const { folder, formats } = task;
  await using opened = new AsyncDisposableStack();
  const writers: FormatWriter[] = [];
  if (formats !== undefined) {
    const { wanted, taskId, index } = formats;
    const subject = { folder, taskId, index, picture, categories: categoriesOfTask(task), embedding };
    for (const format of wanted) writers.push(opened.use(await OPEN[format](subject)));
  }
  const owned = opened.move();
  return {
    add: async (found) => {
      for (const writer of writers) {
        await writer.add(found);
        // Cut-outs of a large picture take seconds each.
        hooks.signal.throwIfAborted();
        hooks.progress(0, 1);
      }
    },
    finish: async () => (await Promise.all(writers.map((writer) => writer.finish()))).flat(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
