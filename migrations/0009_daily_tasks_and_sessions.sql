-- The tasks of the jobs that an account listed on the day, whatever became of them: failed tasks give their units back, and
-- have cost the operator as much. What was listed before this migration does not count.
ALTER TABLE daily_use ADD COLUMN tasks INTEGER NOT NULL DEFAULT 0 CHECK (tasks >= 0);

CREATE TRIGGER jobs_add_to_daily_use AFTER INSERT ON jobs
BEGIN
  INSERT INTO daily_use (account_id, day, units, tasks)
  VALUES (new.account_id, new.created_at / 86400000, 0, new.total_items)
  ON CONFLICT (account_id) DO UPDATE SET
    units = iif(excluded.day > day, 0, units),
    tasks = CASE WHEN excluded.day > day THEN excluded.tasks
                 WHEN new.created_at >= day * 86400000 - 3600000 THEN tasks + excluded.tasks
                 ELSE tasks END,
    day = max(day, excluded.day);
END;

-- As in 0004; a new day begins the tasks anew too.
DROP TRIGGER ledger_adds_to_daily_use;
CREATE TRIGGER ledger_adds_to_daily_use AFTER INSERT ON ledger
WHEN new.fund = 'paid' AND new.kind = 'reserve'
BEGIN
  INSERT INTO daily_use (account_id, day, units) VALUES (new.account_id, new.at / 86400000, new.units)
  ON CONFLICT (account_id) DO UPDATE SET
    units = CASE WHEN excluded.day > day THEN excluded.units
                 WHEN new.at >= day * 86400000 - 3600000 THEN units + excluded.units
                 ELSE units END,
    tasks = iif(excluded.day > day, 0, tasks),
    day = max(day, excluded.day);
END;

-- A job that was never accepted has cost nothing: that the queue failed is not the account's doing. Its row goes after this.
CREATE TRIGGER voids_take_tasks_from_daily_use AFTER INSERT ON ledger WHEN new.kind = 'void'
BEGIN
  UPDATE daily_use SET tasks = max(0, tasks - coalesce((SELECT total_items FROM jobs WHERE id = new.job_id), 0))
  WHERE account_id = new.account_id AND day = (SELECT created_at / 86400000 FROM jobs WHERE id = new.job_id);
END;

-- How often an account asked for a page of the payment provider in the last hour (epoch hours) in which it did.
CREATE TABLE billing_sessions (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  hour       INTEGER NOT NULL,
  asked      INTEGER NOT NULL CHECK (asked > 0)
) STRICT, WITHOUT ROWID;
