-- What an account's jobs settled by day (epoch days, UTC), and how many jobs ended: getAccountUsage reads a row a day, whether the
-- day's entries are in the ledger or in the closed books. An account that is erased has no usage.
CREATE TABLE usage_days (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  day        INTEGER NOT NULL,
  units      INTEGER NOT NULL CHECK (units >= 0),
  jobs       INTEGER NOT NULL CHECK (jobs >= 0),
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_days_by_age ON usage_days (day);

-- Closed books know the units of a day and not its jobs, which count from the ledger on.
INSERT INTO usage_days (account_id, day, units, jobs)
SELECT account_id, day, sum(units), sum(jobs) FROM (
  SELECT account_id, at / 86400000 AS day, units, 1 AS jobs FROM ledger WHERE kind = 'settle'
  UNION ALL
  SELECT c.account_id, unixepoch(days.key) / 86400, (days.value ->> '$[0]') + (days.value ->> '$[1]'), 0
  FROM ledger_closings AS c, json_each(c.sums, '$.days') AS days)
WHERE account_id IN (SELECT id FROM accounts WHERE erasing_at IS NULL)
GROUP BY account_id, day;

CREATE TRIGGER ledger_adds_to_usage_days AFTER INSERT ON ledger
WHEN new.kind = 'settle'
  AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = new.account_id AND erasing_at IS NOT NULL)
BEGIN
  INSERT INTO usage_days (account_id, day, units, jobs) VALUES (new.account_id, new.at / 86400000, new.units, 1)
  ON CONFLICT (account_id, day) DO UPDATE SET units = units + excluded.units, jobs = jobs + 1;
END;
