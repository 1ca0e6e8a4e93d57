import { mapParallel, type SegmentationClient, stemOf, uniqueNames } from "segmentation-client";
import { cocoFromMasks, Mask, mergeCoco, readMaskPng } from "segmentation-client/masks";
import { Zip, ZipPassThrough } from "fflate";
import { Bakery } from "../../bake/bakery.ts";
import type { ExportMask, ExportPicture } from "../types.ts";
import type { FormatId, Offer } from "./offers.ts";

/** What is exported. */
export interface Scope {
  readonly jobId: string;
  readonly pictures: readonly ExportPicture[];
  /** Whether hidden masks are left out. */
  readonly isShownOnly: boolean;
  /** What the uploads of the pictures, or of the clip, are called. */
  readonly names: readonly { readonly taskId: string; readonly source: string }[];
}

/** How a download is followed and aborted. `onDone` is called with how many pictures or files of how many are ready. */
interface Progress {
  readonly signal: AbortSignal;
  readonly onDone: (done: number, all: number) => void;
}

/** A file, and where it is in a zip. */
interface ExportFile {
  readonly path: string;
  readonly content: Blob;
}

/**
 * Makes or fetches a format's files and has the browser save them.
 * @throws Error with a sentence; if aborted, the signal's reason
 */
export async function download(
  client: SegmentationClient,
  offer: Offer,
  scope: Scope,
  progress: Progress,
): Promise<void> {
  const { way, id } = offer;
  if (way.kind !== "made" && way.kind !== "there") throw new TypeError(`There is no ${id} to export.`);
  const files =
    way.kind === "made"
      ? await make(id, scope, progress)
      : await fetchAssets(client, way.keys, scope, progress);
  await save(files, titleOf(scope, offer));
}

/** What a download is called: by the picture, or by the job. */
function titleOf({ jobId, names }: Scope, { id }: Offer): string {
  const [first, ...others] = names;
  const last = first?.source.split(/[?#]/)[0]?.split("/").pop() ?? "";
  return `${others.length === 0 && last !== "" ? stemOf(last) : jobId}-${id}`;
}

/** A picture whose files are made: its masks, and the name that it has among the files. */
interface Subject {
  readonly picture: ExportPicture;
  readonly masks: readonly ExportMask[];
  readonly name: string;
}

/** Makes files of a format in this browser. */
async function make(id: FormatId, scope: Scope, { signal, onDone }: Progress): Promise<ExportFile[]> {
  const names = uniqueNames(new Map(scope.pictures.map(({ taskId, name }) => [taskId, stemOf(name)])));
  const pictures = scope.pictures.filter(({ count }) => count > 0);
  const documents: Awaited<ReturnType<typeof cocoFromMasks>>[] = [];
  const files: ExportFile[] = [];
  const bakery = new Bakery();
  try {
    for (const [i, picture] of pictures.entries()) {
      signal.throwIfAborted();
      const masks = (await picture.masks()).filter(({ isShown }) => isShown || !scope.isShownOnly);
      const subject = { picture, masks, name: names.get(picture.taskId) ?? "" };
      if (id === "coco") documents.push(await cocoOf(subject));
      else files.push(...(await filesOf(id, subject, bakery, signal)));
      onDone(i + 1, pictures.length);
    }
  } finally {
    bakery.close();
  }
  if (id !== "coco") return files;
  const content = new Blob([JSON.stringify(mergeCoco(documents))], { type: "application/json" });
  return [{ path: "annotations.json", content }];
}

const cocoOf = async ({ picture: { name }, masks }: Subject) =>
  await cocoFromMasks(
    name,
    await Promise.all(
      masks.map(async ({ png, confidence }, i) => {
        const rows = await readMaskPng(new Uint8Array(await png.arrayBuffer()));
        return new Mask(i, confidence, png, rows);
      }),
    ),
  );

/** The files of one picture. */
async function filesOf(
  id: FormatId,
  { picture, masks, name }: Subject,
  bakery: Bakery,
  signal: AbortSignal,
): Promise<ExportFile[]> {
  const pngs = masks.map(({ png }) => png);
  const titles = [...uniqueNames(new Map(masks.map(({ title }, i) => [`${i}`, title]))).values()];
  if (id === "masks") return pngs.map((content, i) => ({ path: `masks/${name}/${titles[i]}.png`, content }));
  if (id === "cutout") {
    const request = { type: "cut-outs", original: await originalOf(picture), masks: pngs } as const;
    const contents = await bakery.files(request, signal);
    return contents.map((content, i) => ({ path: `cutouts/${name}/${titles[i]}.png`, content }));
  }
  if (id !== "preview") throw new TypeError(`Only the service makes ${id}.`);
  const plain = masks.map(({ png, rgb }) => ({ png, rgb }));
  const request = { type: "picture", original: await originalOf(picture), masks: plain } as const;
  const contents = await bakery.files(request, signal);
  return contents.map((content) => ({ path: `preview/${name}.png`, content }));
}

async function originalOf({ original, name }: ExportPicture): Promise<Blob> {
  const file = await original();
  if (file === null) throw new Error(`${name} is no longer in this browser.`);
  return file;
}

/** How many files are fetched at a time. */
const PARALLEL = 6;

/** Fetches assets of a job. In the files' paths, the uploads' names replace the taskIds. @throws SegmentationError */
async function fetchAssets(
  client: SegmentationClient,
  keys: readonly string[],
  scope: Scope,
  { signal, onDone }: Progress,
): Promise<ExportFile[]> {
  const names = [...uniqueNames(new Map(scope.names.map(({ taskId, source }) => [taskId, source])))];
  const { assets } = await client.api.retrieveJobResult({ jobId: scope.jobId }, { signal });
  const urls = new Map(assets.map(({ key, url }) => [key, url]));
  let done = 0;
  return await mapParallel(keys, PARALLEL, signal, async (key, _, each) => {
    const [taskId, name] = names.find(([id]) => key.includes(id)) ?? ["", ""];
    const content = await client.download(urls.get(key) ?? "", { signal: each });
    onDone(++done, keys.length);
    return { path: key.replace(taskId, () => name), content };
  });
}

/** Packs files into a zip, as they are: pictures don't get smaller. */
async function packed(files: readonly ExportFile[]): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    if (error !== null) failure = error;
    else chunks.push(new Uint8Array(chunk));
  });
  for (const { path, content } of files) {
    const entry = new ZipPassThrough(path);
    zip.add(entry);
    entry.push(new Uint8Array(await content.arrayBuffer()), true);
  }
  zip.end();
  if (failure !== null) throw failure;
  return new Blob(chunks, { type: "application/zip" });
}

/** How long a browser may take to begin with a download. */
const KEPT_MS = 60_000;

/** Has the browser save files: a single one as it is, several as a zip. @param title of the zip, without its extension */
async function save(files: readonly ExportFile[], title: string): Promise<void> {
  const [first, ...others] = files;
  if (first === undefined) throw new Error("There is nothing to save.");
  const isOne = others.length === 0;
  const url = URL.createObjectURL(isOne ? first.content : await packed(files));
  const link = document.createElement("a");
  link.href = url;
  link.download = isOne ? first.path.replaceAll("/", "-") : `${title}.zip`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
