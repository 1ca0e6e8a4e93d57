import type { CreateJobRequest } from "segmentation-client";
import type { BakedMask } from "../bake/types.ts";

/** A mask of a picture to take away. */
export interface TakenMask extends BakedMask {
  /** 0 to 1. */
  readonly confidence: number;
  /** Whether it is shown now. Where a file is made here, hidden masks can be left out of it. */
  readonly isShown: boolean;
}

/** A picture to take away. */
export interface TakenPicture {
  readonly taskId: string;
  /** Its file's name. */
  readonly name: string;
  /** In the order of the list that people see. */
  readonly masks: readonly TakenMask[];
  /** The file, if it is in this browser. */
  readonly original: () => Promise<Blob | null>;
}

/** What a job lacks that a further run of it would have. */
export type RunAgain = Pick<CreateJobRequest, "generatePreview" | "formats">;
