import { uniqueNames, VideoResult } from "segmentation-client";
import type { ExportMask } from "../types.ts";
import type { Classes } from "./classes.ts";
import { type DatasetFormat, isOfDataset, makeDataset } from "./dataset.ts";
import type { Subject } from "./entry.ts";
import { cocoOfClip } from "./clip-coco.ts";
import type { MadeFormat, MadeOfClip } from "./offers.ts";
import { drawMattes } from "./mattes.ts";
import { type ExportFile, jsonFile, labelledMasks, type Making, originalOf, type Scope } from "./scope.ts";

/** Makes the files of a format in this browser. @throws Error with a sentence; if aborted, the signal's reason */
export async function make(id: MadeFormat | MadeOfClip, scope: Scope, making: Making): Promise<ExportFile[]> {
  if (id === "matte") return await drawMattes(await clipOf(scope, making), making);
  if (id === "clip-coco")
    return [jsonFile("annotations.json", cocoOfClip(await clipOf(scope, making), namesIn(scope)))];
  if (isOfDataset(id)) return await makeDataset(id, scope, making);
  const { signal, onDone } = making;
  const subjects = scope.subjects.filter(({ masks }) => masks.length > 0);
  const files: ExportFile[] = [];
  for (const [i, subject] of subjects.entries()) {
    signal.throwIfAborted();
    files.push(...(await filesOf(id, subject, scope, making)));
    onDone(i + 1, subjects.length);
  }
  if (id === "labelmap") files.push(jsonFile("labelmaps/legend.json", legendOf(subjects, scope.classes)));
  return files;
}

/** Returns the names of a video's objects by their ids. */
const namesIn = ({ nameable }: Scope): ReadonlyMap<number, string> =>
  new Map(
    nameable.flatMap(({ masks }) =>
      masks.flatMap(({ object, label }) => (label === null ? [] : [[Number(object), label] as const])),
    ),
  );

/** Fetches a video's masks. @throws as `make` */
async function clipOf({ jobId }: Scope, { client, signal }: Making): Promise<VideoResult> {
  const result = await client.result(jobId, { signal });
  if (!(result instanceof VideoResult)) throw new TypeError("This is not a video job.");
  return result;
}

/** Returns the names of a picture's objects in its files: no two the same. */
const titlesOf = (masks: readonly ExportMask[]): string[] => [
  ...uniqueNames(new Map(masks.map(({ title }, i) => [`${i}`, title]))).values(),
];

/** The files of one picture. */
async function filesOf(
  id: Exclude<MadeFormat, DatasetFormat>,
  subject: Subject,
  { classes, options }: Scope,
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
    case "labelmap": {
      const request = { type: "label-map", masks: labelledMasks(subject, classes) } as const;
      const contents = await renderer.files(request, signal);
      return contents.map((content) => ({ path: `labelmaps/${stem}.png`, content }));
    }
    case "cutout": {
      const original = await originalOf(subject);
      const request = { type: "cut-outs", original, masks: pngs, style: options.cutOut } as const;
      return perMask("cutouts", await renderer.files(request, signal));
    }
    case "svg": {
      const named = masks.map(({ png, rgb }, i) => ({ png, rgb, title: titles[i] ?? "" }));
      const contents = await renderer.files({ type: "svg", masks: named }, signal);
      return contents.map((content) => ({ path: `svg/${stem}.svg`, content }));
    }
    case "preview": {
      const coloured = masks.map(({ png, rgb }) => ({ png, rgb }));
      const request = { type: "picture", original: await originalOf(subject), masks: coloured } as const;
      const contents = await renderer.files(request, signal);
      return contents.map((content) => ({ path: `preview/${stem}.png`, content }));
    }
  }
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
