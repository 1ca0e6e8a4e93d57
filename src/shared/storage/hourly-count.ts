/**
 * Returns the statement that counts an account's request, unless it has made `?3` in this hour: ?1 is the account, ?2 the hour
 * (epoch hours). It changes a row if it counted. The statement decides, so that concurrent requests cannot exceed the limit
 * together.
 */
export const countInHour = (table: "billing_sessions" | "webhook_tests"): string =>
  `INSERT INTO ${table} AS known (account_id, hour, asked)
   SELECT id, ?2, 1 FROM accounts WHERE id = ?1 AND erasing_at IS NULL
   ON CONFLICT (account_id) DO UPDATE SET
     asked = iif(hour = excluded.hour, asked, 0) + 1, hour = excluded.hour
   WHERE known.hour <> excluded.hour OR known.asked < ?3`;
