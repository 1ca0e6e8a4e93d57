import type { CreateJobRequest } from "segmentation-client";
import type { TintedMask } from "../render/types.ts";
import type { Verdict } from "../workspace/rules/review.ts";
import type { ExportedJob } from "./code/exported-job.ts";

/** A mask of a picture to export. */
export interface ExportMask extends TintedMask {
  /** Names the object among those of its picture. */
  readonly object: string;
  /** The displayed name of the object as files have it: "cup-1". */
  readonly title: string;
  /** Its class: its prompt, or a name that a person gave; null if neither. */
  readonly label: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** True if it is shown now. Where a file is made here, hidden masks can be left out of it. */
  readonly isShown: boolean;
}

/** A picture to export. */
export interface ExportPicture {
  readonly taskId: string;
  /** Its file's name. */
  readonly name: string;
  /** True if it failed, or is not segmented yet: it is not exported, but has its number and the names of its files. */
  readonly isMissing?: boolean;
  /** Verdict of a review; null if there is none. */
  readonly verdict: Verdict | null;
  /** Fetches its masks, in the order of the list that people see. */
  readonly masks: () => Promise<readonly ExportMask[]>;
  /** True if there is its file: in this browser, or by a share's link. */
  readonly hasOriginal: boolean;
  /** Fetches the file. */
  readonly original: () => Promise<Blob | null>;
  /** Gives objects of the picture a name. */
  readonly nameObjects: (objects: readonly string[], label: string) => void;
}

/** Objects that people can name, of a picture or of a video. */
export interface Nameable extends Pick<ExportPicture, "taskId" | "name" | "nameObjects"> {
  readonly masks: readonly Pick<ExportMask, "object" | "title" | "label">[];
}

/** Options that a further run of a job adds. */
export type RunAgain = Pick<CreateJobRequest, "generatePreview" | "formats">;

export interface ExportDialogProps {
  readonly jobId: string;
  /** False if other jobs have found a part of the objects: its own files have not all of them. */
  readonly isOneJob: boolean;
  readonly exportedJob: ExportedJob;
  /** Units of another run of it. */
  readonly units: number;
  /** The entry's pictures; of a video none. */
  readonly pictures: readonly ExportPicture[];
  /** Objects of a clip that were pointed at; absent of pictures. */
  readonly clip?: Nameable | undefined;
  /** Prompts of all searches of the entry, the oldest first. */
  readonly prompts: readonly string[];
  /** Classes of earlier exports of the entry, in the order of their numbers. */
  readonly classes: readonly string[];
  /** Called with the classes of a saved export. */
  readonly onExported: (classes: readonly string[]) => void;
  /** The open picture, which can also be exported alone. */
  readonly current?: ExportPicture["taskId"] | undefined;
  /** Runs another job for the missing files; absent if that is not possible. */
  readonly onRunAgain?: ((request: CreateJobRequest) => void) | undefined;
  readonly onClose: () => void;
}
