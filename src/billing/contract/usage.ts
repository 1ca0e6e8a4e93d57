import { z } from "zod";

/** Maximum number of days in one answer. */
export const MOST_USAGE_DAYS = 366;

/** A day in UTC: `2026-11-22`. */
const UsageDate = z.iso.date().meta({ description: "A day in UTC.", examples: ["2026-11-22"] });

/** The query of GET /v1/account/usage. */
export const UsageQuery = z.object({
  from: UsageDate.optional().meta({ description: "The first day; by default, 30 days ending with `to`." }),
  to: UsageDate.optional().meta({ description: "The last day; by default, today." }),
});
export type UsageQuery = z.infer<typeof UsageQuery>;

export const UsageDay = z
  .strictObject({
    date: UsageDate,
    units: z
      .int()
      .min(0)
      .meta({ description: "Pictures and processed frames of the jobs that ended on that day." }),
    jobs: z
      .int()
      .min(0)
      .meta({ description: "Number of jobs that ended on that day, including failed ones." }),
  })
  .meta({ id: "UsageDay", examples: [{ date: "2026-11-22", units: 12, jobs: 3 }] });
export type UsageDay = z.infer<typeof UsageDay>;

export const AccountUsage = z
  .strictObject({
    days: z
      .array(UsageDay)
      .max(MOST_USAGE_DAYS)
      .meta({ description: "Every day of the period, earliest first." }),
  })
  .meta({ id: "AccountUsage", examples: [{ days: [{ date: "2026-11-22", units: 12, jobs: 3 }] }] });
export type AccountUsage = z.infer<typeof AccountUsage>;
