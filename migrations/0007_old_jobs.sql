-- For the nightly look: the jobs under way whose row has not changed for the longest time, and the oldest of all jobs.
CREATE INDEX jobs_under_way_by_age ON jobs (updated_at, id) WHERE status IN ('queued', 'processing');
CREATE INDEX jobs_by_age ON jobs (created_at, id);
-- Messages that no consumer could handle, for an operator to look at: their ids alone. NULL: the message has none.
CREATE TABLE dead_letters (
  id      INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,
  job_id  TEXT,
  task_id TEXT
) STRICT;
