import { PATIENCE_MS } from "./health.ts";

/** What an endpoint's object has to look after; times are epoch milliseconds, null where there is nothing. */
export interface Pending {
  /** When the first of its deliveries is due. */
  readonly dueAt: number | null;
  /** Whether nothing may be sent now: the endpoint is disabled. */
  readonly isHeld: boolean;
  readonly failingSince: number | null;
  /** When its oldest delivery arrived. */
  readonly oldestAt: number | null;
}

/** Something overdue is tried again so soon: an alarm that is set to now while one runs is lost. */
const SOON_MS = 100;

/** When the object needs its alarm, always in the future; null if it has nothing to look after. @param keptMs how long a delivery is kept */
export function nextWake(
  { dueAt, isHeld, failingSince, oldestAt }: Pending,
  keptMs: number,
  now: number,
): number | null {
  const times = [oldestAt === null ? null : oldestAt + keptMs];
  if (!isHeld) times.push(dueAt, failingSince === null ? null : failingSince + PATIENCE_MS);
  const first = Math.min(...times.map((time) => time ?? Infinity));
  return first === Infinity ? null : Math.max(first, now + SOON_MS);
}
