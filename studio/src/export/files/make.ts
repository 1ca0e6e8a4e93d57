import { yoloDataset } from "@segmentation/masks";
import { type SegmentationClient, uniqueNames } from "segmentation-client";
import type { Renderer } from "../../render/renderer.ts";
import type { CocoPart } from "../../render/coco.ts";
import type { ExportMask } from "../types.ts";
import type { Classes } from "./classes.ts";
import { type CocoPicture, cocoOf } from "./coco.ts";
import type { Subject } from "./entry.ts";
import type { MadeFormat } from "./offers.ts";

/** Pictures and options of an export. */
export interface Scope {
  readonly jobId: string;
  /** Pictures to export, with the masks to export. */
  readonly subjects: readonly Subject[];
  /** Classes of the whole entry. */
  readonly classes: Classes;
  /** Tolerance of simplified outlines, in pixels. */
  readonly tolerance: number;
  /** Names of the uploads of the pictures, or of the clip. */
  readonly names: readonly { readonly taskId: string; readonly source: string }[];
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

/** Formats that have a picture without objects, too. */
const OF_ALL_PICTURES: ReadonlySet<MadeFormat> = new Set(["coco", "yolo"]);

/** Makes the files of a format in this browser. @throws Error with a sentence; if aborted, the signal's reason */
export async function make(id: MadeFormat, scope: Scope, making: Making): Promise<ExportFile[]> {
  const { signal, onDone } = making;
  const subjects = scope.subjects.filter(({ masks }) => masks.length > 0 || OF_ALL_PICTURES.has(id));
  const files: ExportFile[] = [];
  const pictures: CocoPicture[] = [];
  for (const [i, subject] of subjects.entries()) {
    signal.throwIfAborted();
    if (id === "coco") pictures.push(...(await cocoPictureOf(subject, scope, making)));
    else files.push(...(await filesOf(id, subject, scope, making)));
    onDone(i + 1, subjects.length);
  }
  if (id === "coco") return [jsonFile("annotations.json", cocoOf(pictures, scope.classes))];
  if (id === "labelmap")
    return [...files, jsonFile("labelmaps/legend.json", legendOf(subjects, scope.classes))];
  if (id === "yolo")
    return [...files, { path: "data.yaml", content: new Blob([yoloDataset(scope.classes.names)]) }];
  return files;
}

const jsonFile = (path: string, content: object): ExportFile => ({
  path,
  content: new Blob([JSON.stringify(content)], { type: "application/json" }),
});

/** Returns the names of a picture's objects in its files: no two the same. */
const titlesOf = (masks: readonly ExportMask[]): string[] => [
  ...uniqueNames(new Map(masks.map(({ title }, i) => [`${i}`, title]))).values(),
];

const labelled = ({ masks }: Subject, classes: Classes) =>
  masks.map(({ png, label, confidence }) => ({ png, classIndex: classes.indexOf(label), confidence }));

/** Describes a picture for COCO; nothing if it has no mask and no file to read its size from. */
async function cocoPictureOf(
  subject: Subject,
  { classes }: Scope,
  { renderer, signal }: Making,
): Promise<CocoPicture[]> {
  const { anyMask, imageId, fileName } = subject;
  const original = anyMask === null ? await subject.original() : null;
  const masks = labelled(subject, classes);
  const [file] = await renderer.files({ type: "coco", anyMask, original, masks }, signal);
  if (file === undefined) return [];
  const part: CocoPart = JSON.parse(await file.text());
  return [{ imageId, fileName, part }];
}

const filesAt = (path: string, contents: readonly Blob[]): ExportFile[] =>
  contents.map((content) => ({ path, content }));

/** The files of one picture. */
async function filesOf(
  id: Exclude<MadeFormat, "coco">,
  subject: Subject,
  { classes, tolerance }: Scope,
  { renderer, signal }: Making,
): Promise<ExportFile[]> {
  const { masks, stem } = subject;
  const pngs = masks.map(({ png }) => png);
  const titles = titlesOf(masks);
  const perMask = (folder: string, contents: readonly Blob[]): ExportFile[] =>
    contents.map((content, i) => ({ path: `${folder}/${stem}/${titles[i]}.png`, content }));
  switch (id) {
    case "masks":
      return perMask("masks", pngs);
    case "yolo": {
      const request = { type: "yolo", masks: labelled(subject, classes), tolerance } as const;
      return filesAt(`labels/${stem}.txt`, await renderer.files(request, signal));
    }
    case "labelmap": {
      const request = { type: "label-map", masks: labelled(subject, classes) } as const;
      return filesAt(`labelmaps/${stem}.png`, await renderer.files(request, signal));
    }
    case "cutout": {
      const request = { type: "cut-outs", original: await originalOf(subject), masks: pngs } as const;
      return perMask("cutouts", await renderer.files(request, signal));
    }
    case "preview": {
      const coloured = masks.map(({ png, rgb }) => ({ png, rgb }));
      const request = { type: "picture", original: await originalOf(subject), masks: coloured } as const;
      return filesAt(`preview/${stem}.png`, await renderer.files(request, signal));
    }
  }
}

async function originalOf({ original, name }: Subject): Promise<Blob> {
  const file = await original();
  if (file === null) throw new Error(`${name} is no longer in this browser.`);
  return file;
}

/** Legend of the numbers in label maps, by picture: the object's name, and its class with its id in COCO. */
const legendOf = (subjects: readonly Subject[], classes: Classes) =>
  Object.fromEntries(
    subjects.map(({ stem, masks }) => {
      const titles = titlesOf(masks);
      const objects = masks.map(({ label }, i) => {
        const index = classes.indexOf(label);
        return [i + 1, { name: titles[i], class: classes.names[index], class_id: index + 1 }] as const;
      });
      return [`${stem}.png`, Object.fromEntries(objects)] as const;
    }),
  );
