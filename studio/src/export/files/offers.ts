import { ASSETS, assetKey, type CreateJobRequest } from "segmentation-client";
import type { RunAgain } from "../types.ts";
import { isOfDataset } from "./dataset.ts";

/** The formats that the service writes. */
type AssetId = keyof (typeof ASSETS)["image"];

/** The formats in which a picture or video can be exported. */
type FormatId = AssetId | MadeFormat | "matte";

/** Available data of a job, of the pictures to export, or of its video. */
export interface Stock {
  readonly type: CreateJobRequest["type"];
  readonly taskIds: readonly string[];
  /** The keys of all of the job's assets. */
  readonly keys: readonly string[];
  /** Number of their masks to export. */
  readonly masks: number;
  /** True if this browser has the file of each of them that has masks. */
  readonly hasOriginals: boolean;
}

/**
 * Way to get a format: `made` here from masks and originals; `there` among the job's assets, with their keys; `again` by
 * another run of the job; `empty` if there is nothing to put into it.
 */
type Way =
  | { readonly kind: "made"; readonly format: MadeFormat | MadeOfClip }
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

/** The formats of pictures. The service writes no "semantic", "voc" and "svg"; its embeddings are for programs. */
const PICTURE_FORMATS = {
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
  svg: {
    title: "SVG outlines",
    about: "An SVG file per picture with the outline of each object, for design programs.",
  },
  preview: { title: "Picture with masks", about: "The picture with its masks drawn on it." },
  yolo: {
    title: "YOLO",
    about: "A text file per picture, with outlines for training Ultralytics models, and a data.yaml.",
  },
  semantic: {
    title: "Semantic masks",
    about: "A PNG per picture whose pixel values are the classes’ numbers, and a list of the classes.",
  },
  voc: { title: "Pascal VOC", about: "An XML file per picture, with the box of each object." },
  labelmap: {
    title: "Label map",
    about: "A PNG per picture whose pixel values number the objects, and a list of their names.",
  },
} as const satisfies Readonly<Record<string, Words>>;

export type MadeFormat = keyof typeof PICTURE_FORMATS;

/** The formats of videos that this browser makes from masks.json. */
export type MadeOfClip = "matte" | "clip-coco";

/** Formats that name the class of each object. */
export const HAS_CLASSES: ReadonlySet<string> = new Set([
  "coco",
  "yolo",
  "labelmap",
  "semantic",
  "voc",
  "clip-coco",
]);
const isMade = (id: string): id is MadeFormat => id in PICTURE_FORMATS;

const CLIP_FORMATS: Readonly<Partial<Record<FormatId, Words>>> = {
  masks: {
    title: "masks.json",
    about: "Every processed frame with each object’s mask, box and confidence.",
  },
  coco: { title: "COCO", about: "All frames as one JSON file, with a track for each object." },
  matte: {
    title: "Luma mattes",
    about: "A PNG for each processed frame, white where an object is: for all objects, and for each.",
  },
  preview: { title: "Video with masks", about: "The video as MP4, with its masks drawn on it." },
};

const isAsset = (id: FormatId): id is AssetId => id in ASSETS.image;

/** Options of a run that produce a format; null if every run has it. */
function changeFor(id: FormatId): RunAgain | null {
  if (id === "masks" || !isAsset(id)) return null;
  return id === "preview" ? { generatePreview: true } : { formats: [id] };
}

/** Formats that this browser makes from the original, and not from masks alone. */
const OF_ORIGINALS: ReadonlySet<FormatId> = new Set(["cutout", "preview"]);

/** @param template of the keys of the service's files; undefined if it writes none */
function wayOf(
  id: FormatId,
  template: string | undefined,
  { type, taskIds, keys, masks, hasOriginals }: Stock,
): Way {
  const mayBeMade = type === "image" && (masks > 0 || (isOfDataset(id) && taskIds.length > 0));
  if (mayBeMade && isMade(id) && (hasOriginals || !OF_ORIGINALS.has(id))) return { kind: "made", format: id };
  const [start = ""] = template?.split("{index}") ?? [];
  const there =
    template === undefined
      ? []
      : keys.filter((key) => taskIds.some((taskId) => key.startsWith(assetKey(start, taskId))));
  // With the names that people have given since.
  if (type === "video" && (id === "matte" || id === "coco"))
    return keys.length > 0 ? { kind: "made", format: id === "matte" ? id : "clip-coco" } : { kind: "empty" };
  if (there.length > 0) return { kind: "there", keys: there };
  const change = changeFor(id);
  // Another run would find no objects either.
  const isOfObjects = id !== "preview";
  return change === null || (type === "image" && masks === 0 && isOfObjects)
    ? { kind: "empty" }
    : { kind: "again", change };
}

type ClipFormat = Exclude<keyof (typeof ASSETS)["video"], "masks" | "preview">;
const isOfClips = (format: string): format is ClipFormat => format in ASSETS.video;

/** The request for another run of a job, with its options and missing formats. */
export function againWith(
  request: CreateJobRequest,
  { formats = [], ...change }: RunAgain,
): CreateJobRequest {
  if (request.type === "image")
    return { ...request, ...change, formats: [...new Set([...(request.formats ?? []), ...formats])] };
  const ofClips = [...(request.formats ?? []), ...formats].filter(isOfClips);
  return { ...request, ...change, ...(ofClips.length > 0 && { formats: [...new Set(ofClips)] }) };
}

/** The formats of a job, each with the way to get it. */
export function offersOf(stock: Stock): Offer[] {
  const words: Readonly<Partial<Record<FormatId, Words>>> =
    stock.type === "image" ? PICTURE_FORMATS : CLIP_FORMATS;
  const templates: Readonly<Partial<Record<FormatId, string>>> = ASSETS[stock.type];
  const isOffered = (id: string): id is FormatId => id in words;
  return Object.keys(words)
    .filter(isOffered)
    .flatMap((id) => {
      const { [id]: said } = words;
      return said === undefined ? [] : [{ id, ...said, way: wayOf(id, templates[id], stock) }];
    });
}
