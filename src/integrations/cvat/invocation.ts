import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { LargeBody } from "../../http/large-body.ts";
import type { Wanted } from "../jobs.ts";
import { fromTool } from "../nothing.ts";

/** A frame of 15 MB in base64, and the other fields. */
export const BODY: LargeBody = {
  mostBytes: 20_000_000,
  mostKept: 256 * 1_024,
  isSetAside: ([name, ...rest]) => name === "image" && rest.length === 0,
};

const Point = z.tuple([z.number(), z.number()]);
/** The request that CVAT sends, without its picture. */
export const Invocation = fromTool(
  z.object({
    threshold: z.number().min(0).max(1).optional(),
    pos_points: z.array(Point).default([]),
    neg_points: z.array(Point).default([]),
    /** Two corners: four numbers, or two points. */
    obj_bbox: z
      .union(
        [z.tuple([z.number(), z.number(), z.number(), z.number()]), z.tuple([Point, Point])],
        "must be two corners: [[x1, y1], [x2, y2]]",
      )
      .optional()
      .transform((corners) => corners?.flat()),
  }),
);
export type Invocation = z.infer<typeof Invocation>;

/**
 * Returns the indicated region. Points are more exact than the box that a person began with.
 * @throws ServiceError invalid_request if there is none.
 */
export function regionOf({
  pos_points,
  neg_points,
  obj_bbox,
}: Invocation): NonNullable<Wanted["regions"]>[number] {
  const points = [
    ...pos_points.map(([x, y]) => ({ x, y, label: 1 as const })),
    ...neg_points.map(([x, y]) => ({ x, y, label: 0 as const })),
  ];
  if (pos_points.length > 0) return { points, picture: 0 };
  if (obj_bbox === undefined)
    throw new ServiceError(
      "invalid_request",
      "There is no click on the object and no box around it. Click on the object, or draw a box.",
    );
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = obj_bbox;
  return { box: [Math.min(x1, x2), Math.min(y1, y2), Math.abs(x2 - x1), Math.abs(y2 - y1)], picture: 0 };
}
