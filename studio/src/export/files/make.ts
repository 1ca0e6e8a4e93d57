import {
  cocoFromMasks,
  Mask,
  mergeCoco,
  readMaskPng,
  type SegmentationClient,
  uniqueNames,
} from "segmentation-client";
import { Bakery } from "../../bake/bakery.ts";
import type { ExportMask, ExportPicture } from "../types.ts";
import type { FormatId } from "./offers.ts";
import type { ExportFile } from "./pack.ts";

/** What is made, and what is told meanwhile. */
export interface Making {
  readonly pictures: readonly ExportPicture[];
  /** Whether hidden masks are left out. */
  readonly isShownOnly: boolean;
  readonly signal: AbortSignal;
  /** So many of the pictures, or files, are done. */
  readonly onDone: (done: number, all: number) => void;
}

/** The masks of a picture that are to be taken away. */
const masksOf = async ({ masks }: ExportPicture, { isShownOnly }: Making): Promise<readonly ExportMask[]> =>
  (await masks()).filter(({ isShown }) => isShown || !isShownOnly);

/** Makes something of one picture after the other, of its masks and the name that it has among the files. */
async function forEach<T>(
  making: Making,
  makeOf: (picture: ExportPicture, masks: readonly ExportMask[], name: string) => Promise<T>,
): Promise<T[]> {
  const names = namesOf(making.pictures);
  const all = making.pictures.filter(({ count }) => count > 0);
  const made: T[] = [];
  for (const picture of all) {
    making.signal.throwIfAborted();
    made.push(await makeOf(picture, await masksOf(picture, making), names.get(picture.taskId) ?? ""));
    making.onDone(made.length, all.length);
  }
  return made;
}

async function originalOf({ original, name }: ExportPicture): Promise<Blob> {
  const file = await original();
  if (file === null) throw new Error(`${name} is no longer in this browser.`);
  return file;
}

const clientMask = async ({ png, confidence }: ExportMask, index: number): Promise<Mask> =>
  new Mask(index, confidence, png, await readMaskPng(new Uint8Array(await png.arrayBuffer())));

async function cocoFile(making: Making): Promise<ExportFile[]> {
  const documents = await forEach(
    making,
    async ({ name }, masks) => await cocoFromMasks(name, await Promise.all(masks.map(clientMask))),
  );
  const content = new Blob([JSON.stringify(mergeCoco(documents))], { type: "application/json" });
  return [{ path: "annotations.json", content }];
}

async function maskFiles(making: Making): Promise<ExportFile[]> {
  const files = await forEach(making, async (_, masks, name) =>
    masks.map(({ png }, i) => ({ path: `masks/${name}/${i}.png`, content: png })),
  );
  return files.flat();
}

async function cutOutFiles(making: Making, bakery: Bakery): Promise<ExportFile[]> {
  const files = await forEach(making, async (picture, masks, name) => {
    const pngs = masks.map(({ png }) => png);
    const request = { type: "cut-outs", original: await originalOf(picture), masks: pngs } as const;
    const contents = await bakery.files(request, making.signal);
    return contents.map((content, i) => ({ path: `cutouts/${name}/${i}.png`, content }));
  });
  return files.flat();
}

async function previewFiles(making: Making, bakery: Bakery): Promise<ExportFile[]> {
  const files = await forEach(making, async (picture, masks, name) => {
    const plain = masks.map(({ png, rgb }) => ({ png, rgb }));
    const request = { type: "picture", original: await originalOf(picture), masks: plain } as const;
    const contents = await bakery.files(request, making.signal);
    return contents.map((content) => ({ path: `preview/${name}.png`, content }));
  });
  return files.flat();
}

const MAKERS: Readonly<Partial<Record<FormatId, (making: Making, bakery: Bakery) => Promise<ExportFile[]>>>> =
  {
    masks: maskFiles,
    coco: cocoFile,
    cutout: cutOutFiles,
    preview: previewFiles,
  };

/** Makes files of a format in this browser. @throws Error with a sentence */
export async function make(format: FormatId, making: Making): Promise<ExportFile[]> {
  const maker = MAKERS[format];
  if (maker === undefined) throw new TypeError(`Only the service makes ${format}.`);
  const bakery = new Bakery();
  try {
    return await maker(making, bakery);
  } finally {
    bakery.close();
  }
}

/** How many files are fetched at a time. */
const AT_A_TIME = 6;

/**
 * Fetches assets of a job.
 * @param names of the pictures by their taskIds, which they take the place of in the files' paths
 * @throws SegmentationError
 */
export async function fetchAssets(
  client: SegmentationClient,
  jobId: string,
  keys: readonly string[],
  names: ReadonlyMap<string, string>,
  { signal, onDone }: Pick<Making, "signal" | "onDone">,
): Promise<ExportFile[]> {
  const { assets } = await client.api.retrieveJobResult({ jobId }, { signal });
  const urls = new Map(assets.map(({ key, url }) => [key, url]));
  const files: ExportFile[] = [];
  for (let from = 0; from < keys.length; from += AT_A_TIME) {
    const wanted = keys.slice(from, from + AT_A_TIME);
    const contents = await Promise.all(
      wanted.map(async (key) => await client.download(urls.get(key) ?? "", { signal })),
    );
    for (const [i, content] of contents.entries())
      files.push({ path: withName(wanted[i] ?? "", names), content });
    onDone(files.length, keys.length);
  }
  return files;
}

/** The names of a job's files by their taskIds: none twice. */
export const namesOf = (
  pictures: readonly { readonly taskId: string; readonly name: string }[],
): Map<string, string> => uniqueNames(new Map(pictures.map(({ taskId, name }) => [taskId, name])));

/** An asset's key with its picture's name in place of the taskId. */
function withName(key: string, names: ReadonlyMap<string, string>): string {
  const [taskId, name] = [...names].find(([id]) => key.includes(id)) ?? ["", ""];
  return key.replace(taskId, () => name);
}
