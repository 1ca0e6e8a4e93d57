import { yoloDataset } from "@segmentation/masks";
import type { CocoPart } from "../../render/coco.ts";
import { type CocoPicture, cocoOf } from "./coco.ts";
import type { Subject } from "./entry.ts";
import { type ExportFile, jsonFile, labelledMasks, type Making, originalOf, type Scope } from "./scope.ts";
import { type Part, splitOf } from "./split.ts";
import { vocOf } from "./voc.ts";

const DATASET_FORMATS = ["coco", "yolo", "semantic", "voc"] as const;

/** Formats for training: they list pictures without objects, can include the picture files, and can be split. */
export type DatasetFormat = (typeof DATASET_FORMATS)[number];

/** Tells whether a format is for training. */
export const isOfDataset = (id: string): id is DatasetFormat =>
  DATASET_FORMATS.some((format) => format === id);

/** Pictures of one part of a data set, and the folder of its files: "train/", or none if there is no split. */
interface Portion {
  readonly folder: "" | `${Part}/`;
  readonly subjects: readonly Subject[];
}

function portionsOf({ subjects, classes, options: { split } }: Scope): readonly Portion[] {
  if (split === null) return [{ folder: "", subjects }];
  const parts = splitOf(subjects, classes, split);
  return (["train", "val"] as const).map((part) => ({
    folder: `${part}/`,
    subjects: subjects.filter(({ taskId }) => parts.get(taskId) === part),
  }));
}

/** Makes the files of a data set. @throws as `make` */
export async function makeDataset(id: DatasetFormat, scope: Scope, making: Making): Promise<ExportFile[]> {
  const { names } = scope.classes;
  const files: ExportFile[] = [];
  let done = 0;
  for (const { folder, subjects } of portionsOf(scope)) {
    const coco: CocoPicture[] = [];
    for (const subject of subjects) {
      making.signal.throwIfAborted();
      const { imageId, fileName, stem } = subject;
      if (id === "coco") {
        const part = await partOf(subject, scope, making);
        if (part !== null) coco.push({ imageId, fileName, part });
      } else files.push(...(await labelsOf(id, subject, folder + stem, scope, making)));
      if (scope.options.hasImages)
        files.push({ path: `images/${folder}${fileName}`, content: await originalOf(subject) });
      making.onDone(++done, scope.subjects.length);
    }
    if (id === "coco")
      files.push(
        jsonFile(`annotations${folder && `/${folder.slice(0, -1)}`}.json`, cocoOf(coco, scope.classes)),
      );
  }
  if (id === "yolo") {
    const folders = scope.options.split === null ? undefined : { train: "images/train", val: "images/val" };
    // Ultralytics wants a name for each number.
    const all = names.map((name, i) => name || `unused ${i}`);
    files.push({ path: "data.yaml", content: new Blob([yoloDataset(all, folders)]) });
  }
  if (id === "semantic") files.push(jsonFile("semantic/legend.json", semanticLegend(names)));
  return files;
}

/** Legend of the numbers in semantic masks. */
const semanticLegend = (names: readonly string[]) =>
  Object.fromEntries(
    ["background", ...names].map((name, i) => [i, name] as const).filter(([, name]) => name !== ""),
  );

/** The labels of one picture; none if nothing tells its size. @param name of the file, with the folder of its part */
async function labelsOf(
  id: Exclude<DatasetFormat, "coco">,
  subject: Subject,
  name: string,
  scope: Scope,
  making: Making,
): Promise<ExportFile[]> {
  switch (id) {
    case "yolo": {
      const { tolerance } = scope.options;
      const request = { type: "yolo", masks: labelledMasks(subject, scope.classes), tolerance } as const;
      const contents = await making.renderer.files(request, making.signal);
      return contents.map((content) => ({ path: `labels/${name}.txt`, content }));
    }
    case "semantic": {
      const contents = await sized("class-map", subject, scope, making);
      return contents.map((content) => ({ path: `semantic/${name}.png`, content }));
    }
    case "voc": {
      const part = await partOf(subject, scope, making);
      if (part === null) return [];
      const xml = vocOf(subject.fileName, part, scope.classes.names);
      return [{ path: `voc/${name}.xml`, content: new Blob([xml], { type: "application/xml" }) }];
    }
  }
}

/** Describes a picture for COCO; null if nothing tells its size. */
async function partOf(subject: Subject, scope: Scope, making: Making): Promise<CocoPart | null> {
  const [file] = await sized("coco", subject, scope, making);
  return file === undefined ? null : JSON.parse(await file.text());
}

async function sized(
  type: "coco" | "class-map",
  subject: Subject,
  { classes }: Scope,
  { renderer, signal }: Making,
): Promise<Blob[]> {
  const { anyMask } = subject;
  const original = anyMask === null ? await subject.original() : null;
  return await renderer.files({ type, anyMask, original, masks: labelledMasks(subject, classes) }, signal);
}
