import { z } from "zod";

/** The most masks that one task may have. */
export const MOST_MASKS_PER_TASK = 10_000;

/** A file's name under its lease's prefix: a picture's masks and preview, a clip's masks and preview. */
export const OutputName = z.string().regex(/^(masks\/\d{1,5}\.png|preview\.png|masks\.json|preview\.mp4)$/);

/** What an output may be. */
export const OutputContentType = z.enum(["image/png", "application/json", "video/mp4"]);
