import type { SegmentationClient } from "segmentation-client";
import type { CutOutStyle } from "../../render/types.ts";
import type { Renderer } from "../../render/renderer.ts";
import type { Nameable } from "../types.ts";
import type { Classes } from "./classes.ts";
import type { Subject } from "./entry.ts";
import type { Split } from "./split.ts";

/** Pictures and options of an export. */
export interface Scope {
  readonly jobId: string;
  /** Pictures to export, with the masks to export. */
  readonly subjects: readonly Subject[];
  /** Classes of the whole entry. */
  readonly classes: Classes;
  readonly options: ExportOptions;
  /** Objects that may have no class yet: those of the subjects, or of the video. */
  readonly nameable: readonly Nameable[];
  /** Names of the uploads of the pictures, or of the video. */
  readonly names: readonly { readonly taskId: string; readonly source: string }[];
}

/** Options of an export. */
export interface ExportOptions {
  /** Tolerance of simplified outlines, in pixels. */
  readonly tolerance: number;
  /** True if data sets have the pictures themselves, too. */
  readonly hasImages: boolean;
  readonly cutOut: CutOutStyle;
  /** Split of data sets; null for none. */
  readonly split: Split | null;
}

/** Renderer and signal of an export. `onDone` is called with the number of pictures or files that are ready, and of all. */
export interface Making {
  readonly client: SegmentationClient;
  readonly renderer: Pick<Renderer, "files">;
  readonly signal: AbortSignal;
  readonly onDone: (done: number, all: number) => void;
}

/** A file, and where it is in a zip. */
export interface ExportFile {
  readonly path: string;
  readonly content: Blob;
}

/** Makes a file of JSON. */
export const jsonFile = (path: string, content: object): ExportFile => ({
  path,
  content: new Blob([JSON.stringify(content)], { type: "application/json" }),
});

/** Returns the masks of a picture with the numbers of their classes. @throws Error if an object has no class */
export const labelledMasks = ({ masks }: Subject, classes: Classes) =>
  masks.map(({ png, label, confidence }) => ({ png, classIndex: classes.indexOf(label), confidence }));

/** Returns the file of a picture. @throws Error with a sentence if there is none */
export async function originalOf({ original, name }: Subject): Promise<Blob> {
  const file = await original();
  if (file === null) throw new Error(`${name} is no longer in this browser.`);
  return file;
}
