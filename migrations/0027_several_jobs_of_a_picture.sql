-- How many free jobs have refined masks of an upload's picture: each job that reserves no units is one. These triggers alone write
-- it, in the transaction that reserves, so that requests at the same time can't have more than there are together.
ALTER TABLE uploads ADD COLUMN refined INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER ledger_counts_refinements AFTER INSERT ON ledger WHEN new.units = 0 AND new.kind = 'reserve'
BEGIN
  UPDATE uploads SET refined = refined + 1
  WHERE task_id IN (SELECT value FROM json_each((SELECT task_ids FROM jobs WHERE id = new.job_id)));
END;

-- A job that was never accepted has refined nothing.
CREATE TRIGGER ledger_takes_back_refinements AFTER INSERT ON ledger WHEN new.units = 0 AND new.kind = 'void'
BEGIN
  UPDATE uploads SET refined = refined - 1
  WHERE task_id IN (SELECT value FROM json_each((SELECT task_ids FROM jobs WHERE id = new.job_id)));
END;

-- The job to which a job adds: the first one of the same uploads. NULL: the job adds to none.
ALTER TABLE jobs ADD COLUMN continues TEXT;
CREATE INDEX jobs_continuing ON jobs (continues, id) WHERE continues IS NOT NULL;
