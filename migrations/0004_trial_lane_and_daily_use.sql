-- The lane that a job's tasks go through. NULL: the job was listed by a Worker that did not write it yet.
ALTER TABLE jobs ADD COLUMN lane TEXT CHECK (lane IN ('interactive', 'bulk', 'trial'));

UPDATE jobs SET lane = 'trial'
WHERE status IN ('queued', 'processing')
  AND EXISTS (SELECT 1 FROM ledger WHERE job_id = jobs.id AND kind = 'reserve' AND fund = 'trial');

-- How full the trial lane is, and how fast its tasks end.
CREATE INDEX jobs_trial_open ON jobs (created_at) WHERE lane = 'trial' AND status IN ('queued', 'processing');
CREATE INDEX jobs_trial_ended ON jobs (updated_at) WHERE lane = 'trial' AND status IN ('success', 'failed');

-- How many units the account's jobs may reserve a day. NULL: as many as the setting MAX_UNITS_PER_DAY says.
ALTER TABLE accounts ADD COLUMN units_per_day INTEGER CHECK (units_per_day >= 0);

-- The units that an account's jobs reserved and did not give back, of the last day (epoch days, UTC) on which a job was
-- accepted. The trial's tokens are not among them. What was reserved before this migration does not count.
CREATE TABLE daily_use (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  day        INTEGER NOT NULL,
  units      INTEGER NOT NULL CHECK (units >= 0)
) STRICT, WITHOUT ROWID;

-- A job that was asked for just before midnight and is listed after another one of the new day counts on the new day; one
-- of a day before, which a restored database has lost and gets back, counts on none.
CREATE TRIGGER ledger_adds_to_daily_use AFTER INSERT ON ledger
WHEN new.fund = 'paid' AND new.kind = 'reserve'
BEGIN
  INSERT INTO daily_use (account_id, day, units) VALUES (new.account_id, new.at / 86400000, new.units)
  ON CONFLICT (account_id) DO UPDATE SET
    units = CASE WHEN excluded.day > day THEN excluded.units
                 WHEN new.at >= day * 86400000 - 3600000 THEN units + excluded.units
                 ELSE units END,
    day = max(day, excluded.day);
END;

CREATE TRIGGER ledger_takes_from_daily_use AFTER INSERT ON ledger
WHEN new.fund = 'paid' AND new.kind IN ('release', 'void')
BEGIN
  UPDATE daily_use SET units = max(0, units - new.units)
  WHERE account_id = new.account_id
    AND day = (SELECT at / 86400000 FROM ledger WHERE job_id = new.job_id AND kind = 'reserve');
END;
