import { type CocoDocument, SegmentationClient } from "segmentation-client";
import { draw, maskFile } from "../../../client/test/support/shapes.ts";
import { loadEntry, shownOnly, type Subject } from "../../src/export/files/entry.ts";
import { make } from "../../src/export/files/make.ts";
import type { ExportOptions, Making, Scope } from "../../src/export/files/scope.ts";
import type { ExportMask, ExportPicture } from "../../src/export/types.ts";
import { directRenderer } from "./direct-renderer.ts";

const SIZE = { width: 24, height: 16 };

/** An object as a test writes it: its label, and whether it is shown. */
export interface AnObject {
  readonly label: string | null;
  readonly isShown?: boolean;
}

/** A mask of an object: a bar whose place depends on its place in the list. */
const maskOf = ({ label, isShown = true }: AnObject, i: number): ExportMask => ({
  object: `job/task/${i}`,
  title: `${label ?? "object"}-${i + 1}`,
  label,
  confidence: 0.9 - i / 100,
  isShown,
  rgb: [0, 0, 200],
  png: new Blob([
    maskFile(
      draw(SIZE.width, SIZE.height, (x, y) => y >= 2 * i && y < 2 * i + 2 && x > 1 && x < 20),
      label ?? "",
    ),
  ]),
});

/** A picture with these objects. @param original its file; null if the browser has none */
export const pictureOf = (
  name: string,
  objects: readonly AnObject[],
  { original = null, verdict = null }: { original?: Blob | null; verdict?: ExportPicture["verdict"] } = {},
): ExportPicture => ({
  taskId: `${name}.task`,
  name,
  verdict,
  hasOriginal: original !== null,
  masks: async () => await Promise.resolve(objects.map(maskOf)),
  original: async () => await Promise.resolve(original),
  nameObjects: () => undefined,
});

export const making: Making = {
  client: new SegmentationClient({ baseUrl: "http://127.0.0.1:1", apiKey: "none" }),
  renderer: directRenderer,
  signal: new AbortController().signal,
  onDone: () => undefined,
};

/** The scope of an export of an entry. @param choose which pictures, after the hidden masks were left out */
export async function scopeOf(
  pictures: readonly ExportPicture[],
  prompts: readonly string[],
  {
    choose = () => true,
    isShownOnly = true,
    exported = [],
    options = {},
  }: {
    choose?: (subject: Subject) => boolean;
    isShownOnly?: boolean;
    exported?: readonly string[];
    options?: Partial<ExportOptions>;
  } = {},
): Promise<Scope> {
  const { subjects, classes } = await loadEntry(pictures, { exported, prompts }, making.signal);
  const chosen = subjects.filter(choose).map((subject) => (isShownOnly ? shownOnly(subject) : subject));
  return {
    jobId: "job",
    subjects: chosen,
    nameable: chosen,
    classes,
    options: {
      tolerance: 0,
      hasImages: false,
      split: null,
      cutOut: { isFeathered: true, isWhole: false, background: null },
      ...options,
    },
    names: [],
  };
}

/** Makes a format, and returns the texts of its files by their paths. */
export async function textsOf(
  format: Parameters<typeof make>[0],
  scope: Scope,
): Promise<Record<string, string>> {
  const files = await make(format, scope, making);
  return Object.fromEntries(
    await Promise.all(files.map(async ({ path, content }) => [path, await content.text()] as const)),
  );
}

/** Makes the COCO document of a scope. */
export async function cocoIn(scope: Scope): Promise<CocoDocument> {
  const { "annotations.json": text = "" } = await textsOf("coco", scope);
  return JSON.parse(text);
}
