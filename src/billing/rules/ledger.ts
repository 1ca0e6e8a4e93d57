import type { AccessMode } from "../contract/billing.ts";
import type { DailyUse } from "./usage.ts";
import type { TrialUse } from "./trial.ts";

/** The payer of a job's units: the free trial with its tokens, or the account. */
export type Fund = "trial" | "paid";

/** The fund that pays for an account with this access mode. */
export const fundOf = (accessMode: AccessMode): Fund => (accessMode === "trial" ? "trial" : "paid");

/** A job's usage, and its cost to the operator. */
export interface JobCost {
  /** Charged units: those of the successful tasks. Failed tasks and free jobs cost nothing. */
  readonly usedUnits: number;
  /** Processed units, charged or not: the day's limit counts them, so failing tasks use it up, too. */
  readonly processedUnits: number;
  /** The files that its tasks wrote: each costs about as much as any other, however small it is. */
  readonly files: number;
}

/** An account's active jobs, and its usage of its trial and of its day. */
export interface AccountUse {
  readonly activeJobs: number;
  readonly activeJobId: string | null;
  readonly trial: TrialUse;
  readonly daily: DailyUse;
  /** Units that paid jobs have reserved or metered, in all. */
  readonly meteredUnits: number;
  /** Inspections in the bucket on the last day (epoch days, UTC) on which a job was refused because of its uploads. */
  readonly refusedInspections: { readonly day: number; readonly inspections: number };
}

/** The length of a slot over which settled units are summed, in milliseconds. migrations/0001_schema.sql has the same number. */
const SLOT_MS = 300_000;

/** The slot (counted from the epoch) that contains a time (epoch ms). */
export const slotOf = (time: number): number => Math.floor(time / SLOT_MS);

/** The slots after a time: up to `wholeFrom` (epoch ms) part of a slot, from there on whole ones. */
export interface SlotsAfter {
  readonly firstWhole: number;
  readonly wholeFrom: number;
}

export function slotsAfter(time: number): SlotsAfter {
  const firstWhole = slotOf(time) + 1;
  return { firstWhole, wholeFrom: firstWhole * SLOT_MS };
}
