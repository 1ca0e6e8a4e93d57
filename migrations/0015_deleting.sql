-- A job that is past its retention, or that its account has deleted, leaves the list at once. It stands here until nothing of
-- it is left in the bucket, so that whoever looks for what an account still has, or for a purge that hangs, finds it.
CREATE TABLE deleted_jobs (
  job_id     TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX deleted_jobs_by_account ON deleted_jobs (account_id);
CREATE INDEX deleted_jobs_by_age ON deleted_jobs (deleted_at, job_id);

-- The uploads that a job under way needs, as a JSON array. NULL: the job has ended, or a Worker listed it that did not write
-- them; as long as that one is under way, it may need any of its account's.
ALTER TABLE jobs ADD COLUMN task_ids TEXT CHECK (task_ids IS NULL OR json_valid(task_ids));

-- An upload that its account has deleted is no longer there for the account. Its row stays until a day after its presign, for
-- until then somebody may end a PUT that began in time; how many there are of an hour stands beside their bytes.
ALTER TABLE uploads ADD COLUMN deleted_at INTEGER;
ALTER TABLE upload_bytes ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted >= 0);

CREATE TRIGGER uploads_add_to_deleted AFTER UPDATE OF deleted_at ON uploads
WHEN old.deleted_at IS NULL AND new.deleted_at < new.created_at + 86400000
BEGIN
  INSERT INTO upload_bytes (account_id, hour, bytes, deleted) VALUES (new.account_id, new.created_at / 3600000, 0, 1)
  ON CONFLICT (account_id, hour) DO UPDATE SET deleted = deleted + 1;
END;
