import { z } from "zod";

/** How many things a page of a list has at most. */
export const pageLimit = (things: string) =>
  z
    .string()
    .regex(/^\d{1,3}$/, "must be an integer from 1 to 100")
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .default(25)
    .meta({ description: `The maximum number of ${things} on a page.` });

/** Where a list goes on. */
export const NextToken = z.string().max(2_000).optional();
