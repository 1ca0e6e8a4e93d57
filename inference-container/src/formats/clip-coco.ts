import { type FrameImage, frameImageOf, type Size } from "@segmentation/masks";
import {
  categoriesOf,
  type Category,
  categoryIdOf,
  imageIdOf,
  nameOf,
  objectsOf,
  regionCategoryId,
} from "@segmentation/protocol";
import type { VideoTask, WrittenFile } from "../messages.ts";
import type { MaskedFrame, MaskedObject } from "../video/masks-json.ts";
import { AnnotationsFile } from "./annotations-file.ts";
import type { CocoShape } from "./coco-shape.ts";
import { MOST_CLIP_TEXT_BYTES } from "./limits.ts";

/** A frame whose objects have their shapes. */
interface ShapedFrame extends MaskedFrame {
  readonly objects: readonly (MaskedObject & { readonly shape: CocoShape })[];
}

/** Writes a video's tracked masks as a COCO document, frame by frame; only the frames' images wait in memory for its end. */
export class ClipCoco implements AsyncDisposable {
  readonly #file: AnnotationsFile;
  readonly #categories: readonly Category[];
  readonly #taskId: string;
  readonly #videoId: number;
  readonly #size: Size;
  readonly #images: FrameImage[] = [];
  #annotations = 0;

  private constructor(
    file: AnnotationsFile,
    categories: readonly Category[],
    taskId: string,
    videoId: number,
    size: Size,
  ) {
    this.#file = file;
    this.#categories = categories;
    this.#taskId = taskId;
    this.#videoId = videoId;
    this.#size = size;
  }

  /** Creates the document of a video of this size; undefined if the task does not request it. */
  static async open(
    { folder, prompts, regions = [], formats }: VideoTask,
    size: Size,
  ): Promise<ClipCoco | undefined> {
    if (formats === undefined) return undefined;
    const { taskId, index } = formats;
    const id = imageIdOf(index);
    const categories = categoriesOf(prompts, objectsOf(regions).map(nameOf));
    const head = { videos: [{ id, name: taskId, ...size }], categories };
    const file = await AnnotationsFile.open(folder, head, MOST_CLIP_TEXT_BYTES);
    return new ClipCoco(file, categories, taskId, id, size);
  }

  /** Appends a frame, with or without objects. @throws TaskFailure named formats_too_large */
  async frame({ objects, ...frame }: ShapedFrame): Promise<void> {
    const video_id = this.#videoId;
    const image = frameImageOf(this.#taskId, video_id, this.#size, frame);
    this.#images.push(image);
    for (const { objectId, score, shape, ...of } of objects) {
      await this.#file.add({
        id: ++this.#annotations,
        image_id: image.id,
        video_id,
        track_id: objectId,
        category_id:
          of.promptIndex === undefined
            ? regionCategoryId(this.#categories, nameOf(of))
            : categoryIdOf(of.promptIndex),
        ...shape,
        score,
        iscrowd: 0,
      });
    }
  }

  /** Ends the document. */
  finish(): Promise<WrittenFile> {
    return this.#file.finish({ images: this.#images });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file[Symbol.asyncDispose]();
  }
}
