-- How many unused uploads and unfinished jobs an account has. Each presign and each createJob asks, up to three times; counting
-- them would read up to 10,000 and 1,000 rows. Only these triggers write the row, in the transaction that changes what is counted;
-- the row of an account that is being erased is gone before what it counted, and stays so.
CREATE TABLE account_counts (
  account_id     TEXT PRIMARY KEY REFERENCES accounts (id),
  unused_uploads INTEGER NOT NULL DEFAULT 0,
  active_jobs    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Whether an unused upload is in its account's row. A Worker that does not know the row would take the trigger's change for one of
-- its own, and refuse the presign: what it inserts is not counted here but in the index, which is otherwise empty.
ALTER TABLE uploads ADD COLUMN counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1));
UPDATE uploads SET counted = 1 WHERE unused = 1;
CREATE INDEX uploads_uncounted ON uploads (account_id) WHERE unused = 1 AND counted = 0;

INSERT INTO account_counts (account_id, unused_uploads, active_jobs)
SELECT account_id, sum(unused_uploads), sum(active_jobs) FROM (
  SELECT account_id, count(*) AS unused_uploads, 0 AS active_jobs FROM uploads WHERE unused = 1 GROUP BY account_id
  UNION ALL
  SELECT account_id, 0, count(*) FROM jobs WHERE status IN ('queued', 'processing') GROUP BY account_id)
GROUP BY account_id;

CREATE TRIGGER uploads_add_to_counts AFTER INSERT ON uploads WHEN new.unused = 1 AND new.counted = 1
BEGIN
  INSERT INTO account_counts (account_id, unused_uploads) VALUES (new.account_id, 1)
  ON CONFLICT (account_id) DO UPDATE SET unused_uploads = unused_uploads + 1;
END;

CREATE TRIGGER uploads_change_counts AFTER UPDATE OF unused ON uploads WHEN new.unused <> old.unused AND new.counted = 1
BEGIN
  UPDATE account_counts SET unused_uploads = unused_uploads + new.unused - old.unused WHERE account_id = new.account_id;
END;

CREATE TRIGGER uploads_take_from_counts AFTER DELETE ON uploads WHEN old.unused = 1 AND old.counted = 1
BEGIN
  UPDATE account_counts SET unused_uploads = unused_uploads - 1 WHERE account_id = old.account_id;
END;

CREATE TRIGGER jobs_add_to_counts AFTER INSERT ON jobs WHEN new.status IN ('queued', 'processing')
BEGIN
  INSERT INTO account_counts (account_id, active_jobs) VALUES (new.account_id, 1)
  ON CONFLICT (account_id) DO UPDATE SET active_jobs = active_jobs + 1;
END;

CREATE TRIGGER jobs_change_counts AFTER UPDATE OF status ON jobs
WHEN (new.status IN ('queued', 'processing')) <> (old.status IN ('queued', 'processing'))
BEGIN
  UPDATE account_counts SET active_jobs = active_jobs + iif(new.status IN ('queued', 'processing'), 1, -1)
  WHERE account_id = new.account_id;
END;

CREATE TRIGGER jobs_take_from_counts AFTER DELETE ON jobs WHEN old.status IN ('queued', 'processing')
BEGIN
  UPDATE account_counts SET active_jobs = active_jobs - 1 WHERE account_id = old.account_id;
END;
