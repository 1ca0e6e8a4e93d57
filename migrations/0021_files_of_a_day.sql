-- How many files a job may write, as of its acceptance. A job of before counts as none.
ALTER TABLE jobs ADD COLUMN files INTEGER NOT NULL DEFAULT 0 CHECK (files >= 0);

-- The files that the jobs which an account listed on the day may write, or wrote once they have ended.
ALTER TABLE daily_use ADD COLUMN files INTEGER NOT NULL DEFAULT 0 CHECK (files >= 0);

-- As in 0009, and the files beside the tasks.
DROP TRIGGER jobs_add_to_daily_use;
CREATE TRIGGER jobs_add_to_daily_use AFTER INSERT ON jobs
BEGIN
  INSERT INTO daily_use (account_id, day, units, tasks, files)
  VALUES (new.account_id, new.created_at / 86400000, 0, new.total_items, new.files)
  ON CONFLICT (account_id) DO UPDATE SET
    units = iif(excluded.day > day, 0, units),
    tasks = CASE WHEN excluded.day > day THEN excluded.tasks
                 WHEN new.created_at >= day * 86400000 - 3600000 THEN tasks + excluded.tasks
                 ELSE tasks END,
    files = CASE WHEN excluded.day > day THEN excluded.files
                 WHEN new.created_at >= day * 86400000 - 3600000 THEN files + excluded.files
                 ELSE files END,
    day = max(day, excluded.day);
END;

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
    files = iif(excluded.day > day, 0, files),
    day = max(day, excluded.day);
END;

DROP TRIGGER voids_take_tasks_from_daily_use;
CREATE TRIGGER voids_take_tasks_from_daily_use AFTER INSERT ON ledger WHEN new.kind = 'void'
BEGIN
  UPDATE daily_use SET
    tasks = max(0, tasks - coalesce((SELECT total_items FROM jobs WHERE id = new.job_id), 0)),
    files = max(0, files - coalesce((SELECT files FROM jobs WHERE id = new.job_id), 0))
  WHERE account_id = new.account_id AND day = (SELECT created_at / 86400000 FROM jobs WHERE id = new.job_id);
END;
