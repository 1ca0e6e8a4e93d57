import type { CreateJobRequest } from "segmentation-client";
import type { RunAgain } from "../types.ts";

/** What a picture or clip can be taken away as. */
export type FormatId = "masks" | "coco" | "cutout" | "preview" | "yolo" | "labelmap";

/** What there is of a job, of the pictures that are to be taken away, or of its clip. */
export interface Stock {
  readonly type: CreateJobRequest["type"];
  readonly taskIds: readonly string[];
  /** The keys of all of the job's assets. */
  readonly keys: readonly string[];
  /** How many masks this browser has of them. */
  readonly masks: number;
  /** Whether this browser has the file of each of them that has masks. */
  readonly hasOriginals: boolean;
}

/**
 * How a format is to be had: `made` here of masks and originals; `there` among the job's assets, with their keys; `again` by
 * another run of the job; `empty` if there is nothing to put into it.
 */
export type Way =
  | { readonly kind: "made" }
  | { readonly kind: "there"; readonly keys: readonly string[] }
  | { readonly kind: "again"; readonly change: RunAgain }
  | { readonly kind: "empty" };

export interface Offer {
  readonly id: FormatId;
  readonly title: string;
  /** What the files are and what they are good for, in a sentence. */
  readonly about: string;
  readonly way: Way;
}

interface Format extends Omit<Offer, "way"> {
  /** Where the service has a task's files of it: the start of their keys. */
  readonly keys: (taskId: string) => string;
  /** What a run asks for to have it; nothing if every run has it. */
  readonly change: RunAgain | null;
}

const PICTURE_FORMATS: readonly Format[] = [
  {
    id: "masks",
    title: "Masks",
    about: "A PNG for each object: white on black, one bit per pixel.",
    keys: (taskId) => `masks/${taskId}/`,
    change: null,
  },
  {
    id: "coco",
    title: "COCO",
    about:
      "One JSON file with each object’s mask, box, area and confidence, for training and annotation tools.",
    keys: (taskId) => `annotations/${taskId}.json`,
    change: { formats: ["coco"] },
  },
  {
    id: "cutout",
    title: "Cut-outs",
    about: "Each object on its own, as a PNG with a transparent background.",
    keys: (taskId) => `cutouts/${taskId}/`,
    change: { formats: ["cutout"] },
  },
  {
    id: "preview",
    title: "Picture with masks",
    about: "The picture with its masks drawn on it.",
    keys: (taskId) => `preview/${taskId}.`,
    change: { generatePreview: true },
  },
  {
    id: "yolo",
    title: "YOLO",
    about:
      "A text file per picture, with outlines for training Ultralytics models. Includes every mask of the job.",
    keys: (taskId) => `labels/${taskId}.txt`,
    change: { formats: ["yolo"] },
  },
  {
    id: "labelmap",
    title: "Label map",
    about: "A PNG per picture whose pixel values number the objects. Includes every mask of the job.",
    keys: (taskId) => `labelmaps/${taskId}.png`,
    change: { formats: ["labelmap"] },
  },
];

const CLIP_FORMATS: readonly Format[] = [
  {
    id: "masks",
    title: "masks.json",
    about: "Every processed frame with each object’s mask, box and confidence.",
    keys: (taskId) => `masks/${taskId}/`,
    change: null,
  },
  {
    id: "coco",
    title: "COCO",
    about: "All frames as one JSON file, with a track for each object.",
    keys: (taskId) => `annotations/${taskId}.json`,
    change: { formats: ["coco"] },
  },
  {
    id: "preview",
    title: "Clip with masks",
    about: "The clip as MP4, with its masks drawn on it.",
    keys: (taskId) => `preview/${taskId}.`,
    change: { generatePreview: true },
  },
];

/** What this browser makes of masks alone, and what it needs the original for. */
const OF_MASKS: ReadonlySet<FormatId> = new Set(["masks", "coco"]);
const OF_ORIGINALS: ReadonlySet<FormatId> = new Set(["cutout", "preview"]);

function wayOf(
  { id, keys: keysOf, change }: Format,
  { type, taskIds, keys, masks, hasOriginals }: Stock,
): Way {
  const mayBeMade = type === "image" && masks > 0;
  if (mayBeMade && (OF_MASKS.has(id) || (hasOriginals && OF_ORIGINALS.has(id)))) return { kind: "made" };
  const there = keys.filter((key) => taskIds.some((taskId) => key.startsWith(keysOf(taskId))));
  if (there.length > 0) return { kind: "there", keys: there };
  // Another run would find no objects either.
  const isOfObjects = OF_MASKS.has(id) || id === "cutout";
  return change === null || (type === "image" && masks === 0 && isOfObjects)
    ? { kind: "empty" }
    : { kind: "again", change };
}

/** A job once more, with all that it had and what it lacked. A clip's has COCO alone. */
export function againWith(
  request: CreateJobRequest,
  { formats = [], ...change }: RunAgain,
): CreateJobRequest {
  if (request.type === "video")
    return { ...request, ...change, ...(formats.includes("coco") && { formats: ["coco"] }) };
  return { ...request, ...change, formats: [...new Set([...(request.formats ?? []), ...formats])] };
}

/** The formats of a job, each with how it is to be had. */
export const offersOf = (stock: Stock): Offer[] =>
  (stock.type === "image" ? PICTURE_FORMATS : CLIP_FORMATS).map((format) => ({
    id: format.id,
    title: format.title,
    about: format.about,
    way: wayOf(format, stock),
  }));
