import { cocoFromMasks, Mask, mergeCoco, readMaskPng, type SegmentationClient } from "segmentation-client";
import { Bakery } from "../../bake/bakery.ts";
import type { TakenMask, TakenPicture } from "../types.ts";
import { fileNames } from "./file-names.ts";
import type { FormatId } from "./offers.ts";
import type { TakenFile } from "./pack.ts";

/** What is made, and what is told meanwhile. */
export interface Making {
  readonly pictures: readonly TakenPicture[];
  /** Whether hidden masks are left out. */
  readonly isShownOnly: boolean;
  readonly signal: AbortSignal;
  /** So many of the pictures, or files, are done. */
  readonly onDone: (done: number, all: number) => void;
}

interface Named {
  readonly picture: TakenPicture;
  readonly masks: readonly TakenMask[];
  /** What it is called among the files. */
  readonly name: string;
}

function namedOf({ pictures, isShownOnly }: Making): Named[] {
  const names = namesOf(pictures);
  return pictures.map((picture) => ({
    picture,
    masks: picture.masks.filter(({ isShown }) => isShown || !isShownOnly),
    name: names.get(picture.taskId) ?? picture.taskId,
  }));
}

/** Makes the files of one picture after the other. Of a picture without masks nothing is made. */
async function forEach(
  making: Making,
  filesOf: (named: Named) => Promise<TakenFile[]>,
): Promise<TakenFile[]> {
  const all = namedOf(making).filter(({ masks }) => masks.length > 0);
  const files: TakenFile[] = [];
  for (const [i, named] of all.entries()) {
    making.signal.throwIfAborted();
    files.push(...(await filesOf(named)));
    making.onDone(i + 1, all.length);
  }
  return files;
}

async function originalOf({ original, name }: TakenPicture): Promise<Blob> {
  const file = await original();
  if (file === null) throw new Error(`${name} is not in this browser any more.`);
  return file;
}

const clientMask = async ({ png, confidence }: TakenMask, index: number): Promise<Mask> =>
  new Mask(index, confidence, png, await readMaskPng(new Uint8Array(await png.arrayBuffer())));

async function cocoFile(making: Making): Promise<TakenFile[]> {
  const documents = [];
  const all = namedOf(making);
  for (const [i, { picture, masks }] of all.entries()) {
    making.signal.throwIfAborted();
    documents.push(await cocoFromMasks(picture.name, await Promise.all(masks.map(clientMask))));
    making.onDone(i + 1, all.length);
  }
  const content = new Blob([JSON.stringify(mergeCoco(documents))], { type: "application/json" });
  return [{ path: "annotations.json", content }];
}

const MAKERS: Readonly<Partial<Record<FormatId, (making: Making, bakery: Bakery) => Promise<TakenFile[]>>>> =
  {
    coco: cocoFile,
    masks: async (making) =>
      await forEach(making, async ({ masks, name }) =>
        masks.map(({ png }, i) => ({ path: `masks/${name}/${i}.png`, content: png })),
      ),
    cutout: async (making, bakery) =>
      await forEach(making, async ({ picture, masks, name }) => {
        const original = await originalOf(picture);
        const pngs = masks.map(({ png }) => png);
        const files = await bakery.files({ type: "cut-outs", original, masks: pngs }, making.signal);
        return files.map((content, i) => ({ path: `cutouts/${name}/${i}.png`, content }));
      }),
    preview: async (making, bakery) =>
      await forEach(making, async ({ picture, masks, name }) => {
        const original = await originalOf(picture);
        const plain = masks.map(({ png, rgb }) => ({ png, rgb }));
        const files = await bakery.files({ type: "picture", original, masks: plain }, making.signal);
        return files.map((content) => ({ path: `preview/${name}.png`, content }));
      }),
  };

/** Makes files of a format in this browser. @throws Error with a sentence */
export async function make(format: FormatId, making: Making): Promise<TakenFile[]> {
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
): Promise<TakenFile[]> {
  const { assets } = await client.api.retrieveJobResult({ jobId }, { signal });
  const urls = new Map(assets.map(({ key, url }) => [key, url]));
  const files: TakenFile[] = [];
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
export function namesOf(
  pictures: readonly { readonly taskId: string; readonly name: string }[],
): Map<string, string> {
  const names = fileNames(pictures.map(({ name }) => name));
  return new Map(pictures.map(({ taskId }, i) => [taskId, names[i] ?? taskId]));
}

/** An asset's key with its picture's name in place of the taskId. */
function withName(key: string, names: ReadonlyMap<string, string>): string {
  const [taskId, name] = [...names].find(([id]) => key.includes(id)) ?? ["", ""];
  return key.replace(taskId, () => name);
}
