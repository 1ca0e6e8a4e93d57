-- All of an account's uploads, which an erasure and an operator ask for, and those that count against its budget. In the place
-- of an index of the unused ones alone: an upload writes as many rows as before, and one more when a job uses it.
CREATE INDEX uploads_by_account ON uploads (account_id, unused);
DROP INDEX uploads_unused;

-- A dead letter goes with its job.
CREATE INDEX dead_letters_by_job ON dead_letters (job_id) WHERE job_id IS NOT NULL;
DELETE FROM dead_letters WHERE job_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = job_id);

-- How far the nights have come that go round all old jobs together: the next one goes on at this time (epoch ms). No row: it
-- begins anew.
CREATE TABLE rounds (
  part  TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
