import type { RowRuns } from "@segmentation/masks";
import type { Category } from "@segmentation/protocol";
import type { ImageTask, WrittenFile } from "../messages.ts";
import type { Picture, PictureEmbedding } from "../models/model.ts";

/** A mask of the picture, for its formats. */
interface FoundMask {
  readonly maskIndex: number;
  readonly categoryId: number;
  /** Confidence, 0 to 1. */
  readonly score: number;
  readonly runs: RowRuns;
}

/** Writes a picture's masks in a format. Await each call before the next, and dispose of the writer. */
export interface FormatWriter extends AsyncDisposable {
  /** Takes the next mask, in the order of their indices. @throws TaskFailure named formats_too_large */
  add(found: FoundMask): Promise<void>;
  /** The written files, after the last mask. */
  finish(): Promise<WrittenFile[]>;
}

/** Input of a format: the task, with its upload's name and path, and the decoded picture. */
export interface Subject extends Pick<ImageTask, "folder"> {
  readonly taskId: string;
  readonly index: number;
  readonly picture: Picture;
  readonly categories: readonly Category[];
  /** Only for the format of that name. */
  readonly embedding?: PictureEmbedding | undefined;
}
