import { parsePlace } from "@segmentation/masks";
import type { PictureRegion } from "../../jobs/contract/region.ts";

/** The forms of a region, for messages. */
export const REGION_FORMS =
  "a point such as 430,200, several such as 430,200;!10,20 (! is outside the object), or a box such as 40,60,120,80 (left, top, width, height); with a name, saucer: 430,200";

/** Reads a region of a form, which the schema then checks: its place, with a label before a colon. Null if it is not one. */
export function regionOfText(text: string): PictureRegion | null {
  const colon = text.lastIndexOf(":");
  const place = parsePlace(text.slice(colon + 1));
  if (place === undefined) return null;
  return { ...place, ...(colon !== -1 && { label: text.slice(0, colon).trim() }) };
}
