import { WINDOW_MS, type MeteringWindow } from "../../core/billing/metering.ts";

/** When a window closes that begins at ?3 and into which something is used at ?2: no window reaches over a period's end. */
const CLOSES_AT = `CASE WHEN b.current_period_end > ?2 AND b.current_period_end < ?3 + ${WINDOW_MS}
  THEN b.current_period_end ELSE ?3 + ${WINDOW_MS} END`;

/**
 * The meter event for what the account of the ledger's entry `r` used at ?2, in the window that begins at ?3 and is named
 * ?4: the one that still takes units, or the hour's next. NULL if the account is not a customer.
 */
export const METER_EVENT = `
  SELECT coalesce(
    (SELECT identifier FROM meter_events AS m
     WHERE m.account_id = b.account_id AND m.window_from = ?3 AND m.closes_at = ${CLOSES_AT}
       AND m.customer_id = b.customer_id AND m.billing_version = b.version AND m.last_tried_at IS NULL),
    b.account_id || '-' || ?4 || '-' ||
      (1 + (SELECT count(*) FROM meter_events AS m WHERE m.account_id = b.account_id AND m.window_from = ?3)))
  FROM billing AS b WHERE b.account_id = r.account_id`;

/** Adds what a job settled to the event that its entry names, if the statement before this one wrote the entry. */
export const addToMeterEvent = (
  db: D1Database,
  jobId: string,
  { usedAt, from }: MeteringWindow,
): D1PreparedStatement =>
  db
    .prepare(
      `INSERT INTO meter_events
         (identifier, customer_id, units, at, account_id, window_from, closes_at, billing_version)
       SELECT s.meter_event, b.customer_id, s.units, ?2, s.account_id, ?3, ${CLOSES_AT}, b.version
       FROM ledger AS s JOIN billing AS b ON b.account_id = s.account_id
       WHERE changes() > 0 AND s.job_id = ?1 AND s.kind = 'settle' AND s.meter_event IS NOT NULL
       ON CONFLICT (identifier) DO UPDATE SET units = units + excluded.units, at = min(at, excluded.at)`,
    )
    .bind(jobId, usedAt, from);
