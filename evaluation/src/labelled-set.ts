import type { Corners } from "@segmentation/masks";
import { z } from "zod";
import { Failure } from "../../scripts/shared/command-line.ts";
import { messageOf } from "../../scripts/shared/error-parts.ts";
import { type Mask, maskOfRle } from "./measures/mask.ts";
import { maskOfPolygons } from "./measures/polygon.ts";
import type { Label } from "./measures/query.ts";

const Side = z.int().positive().max(65_536);
const Polygon = z.array(z.number()).min(6);
const RunLengths = z.object({
  size: z.tuple([Side, Side]),
  counts: z.union([z.string(), z.array(z.int().nonnegative())]),
});

/** The supported part of COCO's format for instance labels (https://cocodataset.org/#format-data). */
const CocoFile = z.object({
  images: z
    .array(z.object({ id: z.int(), file_name: z.string().min(1), width: Side, height: Side }))
    .min(1, "no image is listed"),
  categories: z.array(z.object({ id: z.int(), name: z.string().min(1) })).min(1, "no category is listed"),
  annotations: z.array(
    z.object({
      id: z.int(),
      image_id: z.int(),
      category_id: z.int(),
      segmentation: z.union([z.array(Polygon), RunLengths]),
      area: z.number().nonnegative().optional(),
      bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]).optional(),
      iscrowd: z.union([z.literal(0), z.literal(1)]).default(0),
    }),
  ),
});
type CocoFile = z.infer<typeof CocoFile>;
type Annotation = CocoFile["annotations"][number];

interface LabelledPicture {
  readonly id: number;
  /** Path in the folder of the pictures. */
  readonly file: string;
  readonly width: number;
  readonly height: number;
}

export interface LabelledObject extends Label {
  /** Indices into the set's pictures and categories. */
  readonly picture: number;
  readonly category: number;
  /** Null if the file has none. */
  readonly box: Corners | null;
}

/** Pictures with every object of some categories labeled. */
export interface LabelledSet {
  /** By ascending id, as the COCO API takes them. */
  readonly pictures: readonly LabelledPicture[];
  readonly categories: readonly { readonly id: number; readonly name: string }[];
  readonly objects: readonly LabelledObject[];
}

/**
 * Reads a set of labels in COCO's format.
 * @param json the parsed file; `path` names it in errors
 * @throws Failure if it is not COCO's format or contradicts itself
 */
export function labelledSet(json: unknown, path: string): LabelledSet {
  const parsed = CocoFile.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Failure(
      `${path} is not a COCO file of instance labels: at "${issue?.path.join(".")}", ${issue?.message}. ` +
        "It needs images, categories and annotations with segmentations: https://cocodataset.org/#format-data",
    );
  }
  const { images, categories, annotations } = parsed.data;
  const pictures = images
    .map(({ id, file_name: file, width, height }) => ({ id, file, width, height }))
    .toSorted((a, b) => a.id - b.id);
  const sorted = categories.toSorted((a, b) => a.id - b.id);
  const pictureOf = indexById(pictures, `${path} lists the image`);
  const categoryOf = indexById(sorted, `${path} lists the category`);
  const objects = annotations.map((annotation): LabelledObject => {
    const name = `The annotation ${annotation.id} of ${path}`;
    const picture = pictureOf.get(annotation.image_id);
    const category = categoryOf.get(annotation.category_id);
    if (picture === undefined)
      throw new Failure(`${name} is of the image ${annotation.image_id}, which is not listed.`);
    if (category === undefined)
      throw new Failure(`${name} is of the category ${annotation.category_id}, which is not listed.`);
    const mask = maskOf(annotation, pictures[picture], name);
    const crowd = annotation.iscrowd === 1;
    return { picture, category, mask, area: annotation.area ?? mask.area, crowd, box: boxOf(annotation) };
  });
  return { pictures, categories: sorted, objects };
}

function indexById(items: readonly { readonly id: number }[], what: string): Map<number, number> {
  const indexes = new Map<number, number>();
  for (const [index, { id }] of items.entries()) {
    if (indexes.has(id)) throw new Failure(`${what} ${id} twice.`);
    indexes.set(id, index);
  }
  return indexes;
}

function maskOf({ segmentation }: Annotation, picture: LabelledPicture | undefined, name: string): Mask {
  const { width, height } = picture ?? { width: 0, height: 0 };
  if (Array.isArray(segmentation)) return maskOfPolygons(segmentation, width, height);
  const { size, counts } = segmentation;
  if (size[0] !== height || size[1] !== width)
    throw new Failure(
      `${name} has a mask of ${size[1]} × ${size[0]} pixels, but its image has ${width} × ${height}.`,
    );
  try {
    return maskOfRle(size, counts);
  } catch (error) {
    throw new Failure(`${name} has a broken mask. ${messageOf(error)}`);
  }
}

function boxOf({ bbox }: Annotation): Corners | null {
  if (bbox === undefined) return null;
  const [x, y, width, height] = bbox;
  return [x, y, x + width, y + height];
}
