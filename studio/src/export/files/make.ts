import { yoloDataset } from "@segmentation/masks";
import { type CocoDocument, type SegmentationClient, stemOf, uniqueNames } from "segmentation-client";
import { mergeCoco } from "segmentation-client/masks";
import type { Renderer } from "../../render/renderer.ts";
import type { ExportMask, ExportPicture } from "../types.ts";
import { categoryOf, classesOf } from "./classes.ts";
import type { MadeFormat } from "./offers.ts";

/** Pictures and options of an export. */
export interface Scope {
  readonly jobId: string;
  readonly pictures: readonly ExportPicture[];
  /** Prompts of the job: the first classes, in this order. */
  readonly prompts: readonly string[];
  /** True if hidden masks are left out. */
  readonly isShownOnly: boolean;
  /** Tolerance of simplified outlines, in pixels. */
  readonly tolerance: number;
  /** Names of the uploads of the pictures, or of the clip. */
  readonly names: readonly { readonly taskId: string; readonly source: string }[];
}

/** Renderer and signal of an export. `onDone` is called with the number of pictures or files that are ready, and of all. */
export interface Making {
  readonly client: SegmentationClient;
  readonly renderer: Renderer;
  readonly signal: AbortSignal;
  readonly onDone: (done: number, all: number) => void;
}

/** A file, and where it is in a zip. */
export interface ExportFile {
  readonly path: string;
  readonly content: Blob;
}

/** A picture whose files are made: its masks, and the name that it has among the files. */
interface Subject {
  readonly picture: ExportPicture;
  readonly masks: readonly ExportMask[];
  readonly name: string;
}

/** Makes the files of a format in this browser. @throws Error with a sentence; if aborted, the signal's reason */
export async function make(id: MadeFormat, scope: Scope, making: Making): Promise<ExportFile[]> {
  const { renderer, signal, onDone } = making;
  const names = uniqueNames(new Map(scope.pictures.map(({ taskId, name }) => [taskId, stemOf(name)])));
  // To YOLO, a picture without objects says something, too.
  const pictures = id === "yolo" ? scope.pictures : scope.pictures.filter(({ count }) => count > 0);
  const subjects: Subject[] = [];
  for (const picture of pictures) {
    signal.throwIfAborted();
    const masks = (await picture.masks()).filter(({ isShown }) => isShown || !scope.isShownOnly);
    subjects.push({ picture, masks, name: names.get(picture.taskId) ?? "" });
  }
  const labels = subjects.flatMap(({ masks }) => masks.map(({ label }) => label));
  const classes = classesOf(scope.prompts, labels);
  const files: ExportFile[] = [];
  for (const [i, subject] of subjects.entries()) {
    signal.throwIfAborted();
    files.push(...(await filesOf(id, subject, { classes, scope, renderer, signal })));
    onDone(i + 1, subjects.length);
  }
  if (id === "coco") return [await mergedCoco(files)];
  if (id === "labelmap") return [...files, legendOf(subjects)];
  if (id === "yolo") return [...files, { path: "data.yaml", content: new Blob([yoloDataset(classes)]) }];
  return files;
}

/** The names of a picture's objects in its files: no two the same. */
const titlesOf = (masks: readonly ExportMask[]): string[] => [
  ...uniqueNames(new Map(masks.map(({ title }, i) => [`${i}`, title]))).values(),
];

interface Means {
  readonly classes: readonly string[];
  readonly scope: Scope;
  readonly renderer: Renderer;
  readonly signal: AbortSignal;
}

const filesAt = (path: string, contents: readonly Blob[]): ExportFile[] =>
  contents.map((content) => ({ path, content }));

/** The files of one picture. */
async function filesOf(
  id: MadeFormat,
  { picture, masks, name }: Subject,
  means: Means,
): Promise<ExportFile[]> {
  const { classes, scope, renderer, signal } = means;
  const pngs = masks.map(({ png }) => png);
  const titles = titlesOf(masks);
  const perMask = (folder: string, contents: readonly Blob[]): ExportFile[] =>
    contents.map((content, i) => ({ path: `${folder}/${name}/${titles[i]}.png`, content }));
  const labelled = masks.map(({ png, label, confidence }) => {
    return { png, classIndex: classes.indexOf(categoryOf(label)), confidence };
  });
  switch (id) {
    case "masks":
      return perMask("masks", pngs);
    case "coco": {
      const named = masks.map(({ png, label, confidence }) => ({ png, label, confidence }));
      const request = { type: "coco", name: picture.name, masks: named } as const;
      return filesAt("annotations.json", await renderer.files(request, signal));
    }
    case "yolo": {
      const request = { type: "yolo", masks: labelled, tolerance: scope.tolerance } as const;
      return filesAt(`labels/${name}.txt`, await renderer.files(request, signal));
    }
    case "labelmap":
      return filesAt(
        `labelmaps/${name}.png`,
        await renderer.files({ type: "label-map", masks: labelled }, signal),
      );
    case "cutout": {
      const request = { type: "cut-outs", original: await originalOf(picture), masks: pngs } as const;
      return perMask("cutouts", await renderer.files(request, signal));
    }
    case "preview": {
      const coloured = masks.map(({ png, rgb }) => ({ png, rgb }));
      const request = { type: "picture", original: await originalOf(picture), masks: coloured } as const;
      return filesAt(`preview/${name}.png`, await renderer.files(request, signal));
    }
  }
}

async function originalOf({ original, name }: ExportPicture): Promise<Blob> {
  const file = await original();
  if (file === null) throw new Error(`${name} is no longer in this browser.`);
  return file;
}

/** The pictures' COCO documents as one. */
async function mergedCoco(documents: readonly ExportFile[]): Promise<ExportFile> {
  const all = await Promise.all(
    documents.map(async ({ content }): Promise<CocoDocument> => JSON.parse(await content.text())),
  );
  const content = new Blob([JSON.stringify(mergeCoco(all))], { type: "application/json" });
  return { path: "annotations.json", content };
}

/** Legend of the numbers in label maps, by picture. */
function legendOf(subjects: readonly Subject[]): ExportFile {
  const legend = subjects.map(
    ({ name, masks }) =>
      [`${name}.png`, Object.fromEntries(titlesOf(masks).map((title, i) => [i + 1, title]))] as const,
  );
  const content = new Blob([JSON.stringify(Object.fromEntries(legend), null, 2)], {
    type: "application/json",
  });
  return { path: "labelmaps/legend.json", content };
}
