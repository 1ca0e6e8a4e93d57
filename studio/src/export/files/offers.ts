import { ASSETS, assetKey, type CreateJobRequest } from "segmentation-client";
import type { RunAgain } from "../types.ts";

/** The formats in which a picture or clip can be exported. */
export type FormatId = keyof (typeof ASSETS)["image"];

/** Available data of a job, of the pictures to export, or of its clip. */
export interface Stock {
  readonly type: CreateJobRequest["type"];
  readonly taskIds: readonly string[];
  /** The keys of all of the job's assets. */
  readonly keys: readonly string[];
  /** Number of their masks in this browser. */
  readonly masks: number;
  /** True if this browser has the file of each of them that has masks. */
  readonly hasOriginals: boolean;
}

/**
 * Way to get a format: `made` here from masks and originals; `there` among the job's assets, with their keys; `again` by
 * another run of the job; `empty` if there is nothing to put into it.
 */
type Way =
  | { readonly kind: "made" }
  | { readonly kind: "there"; readonly keys: readonly string[] }
  | { readonly kind: "again"; readonly change: RunAgain }
  | { readonly kind: "empty" };

export interface Offer {
  readonly id: FormatId;
  readonly title: string;
  /** Description of the files and their use, in a sentence. */
  readonly about: string;
  readonly way: Way;
}

type Words = Pick<Offer, "title" | "about">;

const PICTURE_FORMATS: Readonly<Record<FormatId, Words>> = {
  masks: { title: "Masks", about: "A PNG for each object: white on black, one bit per pixel." },
  coco: {
    title: "COCO",
    about:
      "One JSON file with each object’s mask, box, area and confidence, for training and annotation tools.",
  },
  cutout: {
    title: "Cut-outs",
    about: "Each object on its own, as a PNG with a transparent background.",
  },
  preview: { title: "Picture with masks", about: "The picture with its masks drawn on it." },
  yolo: {
    title: "YOLO",
    about: "A text file per picture, with outlines for training Ultralytics models, and a data.yaml.",
  },
  labelmap: {
    title: "Label map",
    about: "A PNG per picture whose pixel values number the objects, and a list of their names.",
  },
};

const CLIP_FORMATS: Readonly<Record<keyof (typeof ASSETS)["video"], Words>> = {
  masks: {
    title: "masks.json",
    about: "Every processed frame with each object’s mask, box and confidence.",
  },
  coco: { title: "COCO", about: "All frames as one JSON file, with a track for each object." },
  preview: { title: "Clip with masks", about: "The clip as MP4, with its masks drawn on it." },
};

/** Options of a run that produce a format; null if every run has it. */
function changeFor(id: FormatId): RunAgain | null {
  if (id === "masks") return null;
  return id === "preview" ? { generatePreview: true } : { formats: [id] };
}

/** Formats that this browser makes from the original, and not from masks alone. */
const OF_ORIGINALS: ReadonlySet<FormatId> = new Set(["cutout", "preview"]);

/** @param template of the keys of the service's files */
function wayOf(id: FormatId, template: string, { type, taskIds, keys, masks, hasOriginals }: Stock): Way {
  const mayBeMade = type === "image" && masks > 0;
  if (mayBeMade && (hasOriginals || !OF_ORIGINALS.has(id))) return { kind: "made" };
  const [start = ""] = template.split("{index}");
  const there = keys.filter((key) => taskIds.some((taskId) => key.startsWith(assetKey(start, taskId))));
  if (there.length > 0) return { kind: "there", keys: there };
  const change = changeFor(id);
  // Another run would find no objects either.
  const isOfObjects = id !== "preview";
  return change === null || (type === "image" && masks === 0 && isOfObjects)
    ? { kind: "empty" }
    : { kind: "again", change };
}

/** The request for another run of a job, with everything that it had and what it lacked. A clip has only COCO. */
export function againWith(
  request: CreateJobRequest,
  { formats = [], ...change }: RunAgain,
): CreateJobRequest {
  if (request.type === "video")
    return { ...request, ...change, ...(formats.includes("coco") && { formats: ["coco"] }) };
  return { ...request, ...change, formats: [...new Set([...(request.formats ?? []), ...formats])] };
}

/** The formats of a job, each with the way to get it. */
export function offersOf(stock: Stock): Offer[] {
  const words: Readonly<Partial<Record<FormatId, Words>>> =
    stock.type === "image" ? PICTURE_FORMATS : CLIP_FORMATS;
  const templates: Readonly<Partial<Record<FormatId, string>>> = ASSETS[stock.type];
  const ids = Object.keys(words).filter((id): id is FormatId => id in words);
  return ids.map((id) => ({
    id,
    title: words[id]?.title ?? "",
    about: words[id]?.about ?? "",
    way: wayOf(id, templates[id] ?? "", stock),
  }));
}
