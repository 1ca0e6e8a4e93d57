-- The whole schema of a database, from top to bottom: accounts and keys, directory of databases, uploads, jobs, ledger, sums of the
-- ledger, billing, shares, webhooks, upkeep. Below each table are its indexes and the triggers that its writes fire.
--
-- Times are epoch milliseconds, unless a column is called `hour`, `day` or `slot`: these count hours, days (UTC) or five minutes
-- since the epoch. Identifiers are opaque strings. Those of accounts, keys, jobs and endpoints sort by time.
--
-- Two guards come back at many tables:
--   an erased account   `no_…_for_an_erased_account` refuses rows for an account whose erasure has begun. A request that the Worker
--                       let in before that could still write after it.
--   a moving account    While an account moves to another database, its rows in both databases are frozen (see `in_transit`).
--                       `no_new_…_while_moving`, `moving_…_stay` and `moving_…_are_kept` abort a write for one account: its writer
--                       tries again. `moving_…_are_skipped`, and a few others that say so, ignore rows in a statement for many
--                       accounts: a move holds up no other account. Rows that a sweep deletes because of their age have no guard:
--                       both databases may delete them.

----------------------------------------------------------------------------------------------------------------------------------
-- Accounts and keys
----------------------------------------------------------------------------------------------------------------------------------

-- An account. The issuer and subject of an access token together name one. An erased account keeps this row, without personal data,
-- because the ledger names its id.
CREATE TABLE accounts (
  id               TEXT PRIMARY KEY,
  issuer           TEXT,                   -- NULL, as is the subject: the account has API keys only
  subject          TEXT,
  email            TEXT NOT NULL,
  email_verified   INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1)),
  name             TEXT,
  image            TEXT,
  plan             TEXT NOT NULL CHECK (plan IN ('trial', 'paid', 'blocked')), -- the operator's; 'trial' leaves it to the subscription
  status           TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  units_per_day    INTEGER CHECK (units_per_day >= 0), -- units that its jobs may reserve a day; NULL: the setting MAX_UNITS_PER_DAY
  credit_units     INTEGER CHECK (credit_units >= 0),  -- unpaid units that a subscriber may have; NULL: the setting CREDIT_UNITS
  erasing_at       INTEGER,                -- the erasure has begun: nothing is written for the account any more
  erased_at        INTEGER,                -- the erasure has ended: only this row and the ledger are left
  erasure_tried_at INTEGER,                -- orders the erasures under way
  books_refused_at INTEGER,                -- when a closing of its ledger was last refused
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX accounts_by_subject ON accounts (issuer, subject) WHERE subject IS NOT NULL;
CREATE INDEX accounts_being_erased ON accounts (erasure_tried_at, erasing_at)
WHERE erasing_at IS NOT NULL AND erased_at IS NULL;

CREATE TRIGGER erased_accounts_stay_erased BEFORE UPDATE OF email, name, image, issuer, subject, status ON accounts
WHEN OLD.erasing_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;

CREATE TRIGGER moving_accounts_stay BEFORE UPDATE ON accounts
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- An API key. Its secret is stored nowhere.
CREATE TABLE api_keys (
  id         TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  label      TEXT NOT NULL,
  prefix     TEXT NOT NULL,                -- the secret's first characters, to recognize it by
  digest     TEXT NOT NULL UNIQUE,         -- SHA-256 of the secret, hex
  revoked_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX api_keys_by_account ON api_keys (account_id, id);
CREATE INDEX api_keys_by_revocation ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TRIGGER no_key_for_an_erased_account BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;

CREATE TRIGGER no_new_api_keys_while_moving BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_api_keys_stay BEFORE UPDATE ON api_keys
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- A request with an Idempotency-Key, which a client may repeat.
CREATE TABLE idempotency_keys (
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  operation   TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,               -- SHA-256 of the validated body, hex
  effect_id   TEXT NOT NULL,               -- the id of what the request makes: a repetition makes the same
  lease       TEXT NOT NULL,               -- the run that handles the request
  lease_until INTEGER NOT NULL,
  answer      TEXT,                        -- sealed; NULL until the request has succeeded
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (account_id, operation, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TRIGGER no_answer_for_an_erased_account BEFORE INSERT ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;

CREATE TRIGGER no_new_idempotency_keys_while_moving BEFORE INSERT ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_idempotency_keys_stay BEFORE UPDATE ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- An account's number of unused uploads and unfinished jobs. Each presign and each createJob asks, up to three times: counting would
-- read up to 10,000 and 1,000 rows. Only triggers of `uploads` and `jobs` write the row, in the transaction that changes what they
-- count. An erasure deletes the row before what it counts.
CREATE TABLE account_counts (
  account_id     TEXT PRIMARY KEY REFERENCES accounts (id),
  unused_uploads INTEGER NOT NULL DEFAULT 0,
  active_jobs    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------------------------------------
-- Directory of databases, and moves between them
----------------------------------------------------------------------------------------------------------------------------------

-- An account whose rows are in another database than the first one. The Worker reads the directory in the first database only, and
-- takes what it does not name to be in the first; in the other databases the directory's tables are empty.
CREATE TABLE directory_accounts (
  account_id TEXT PRIMARY KEY,
  books      TEXT NOT NULL                 -- the database's binding
) STRICT, WITHOUT ROWID;

-- A credential of an account in the directory.
CREATE TABLE directory_credentials (
  credential TEXT PRIMARY KEY,             -- SHA-256, hex, of an API key, or of an identity's issuer and subject
  account_id TEXT NOT NULL REFERENCES directory_accounts (account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX directory_credentials_by_account ON directory_credentials (account_id);

-- A database that takes new accounts. Without rows, only the first one does.
CREATE TABLE databases (
  name     TEXT PRIMARY KEY,
  bytes    INTEGER NOT NULL CHECK (bytes >= 0), -- its size when it was last measured; each new account adds to it until then
  added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- An account on its way to another database, as each of the two has it. Its rows are frozen in both.
CREATE TABLE in_transit (
  account_id TEXT PRIMARY KEY,
  direction  TEXT NOT NULL CHECK (direction IN ('out', 'in')),
  other      TEXT NOT NULL,                -- the other database's binding
  open       INTEGER NOT NULL DEFAULT 0 CHECK (open IN (0, 1)),      -- 1 only within the mover's own transactions
  place      TEXT CHECK (place IS NULL OR json_valid(place)),        -- how far the move is: src/operator/store/transit.ts
  begun_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------------------------------------
-- Uploads
----------------------------------------------------------------------------------------------------------------------------------

-- A presigned upload: the account may PUT the task's bytes, or has done so.
CREATE TABLE uploads (
  task_id      TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id),
  content_type TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  unused       INTEGER NOT NULL DEFAULT 0 CHECK (unused IN (0, 1)),   -- 1 until an accepted job names it
  size         INTEGER CHECK (size >= 0),  -- the signed size, or the most bytes that an inspection saw; NULL before, 0 without an object
  inspect_at   INTEGER,                    -- when the bucket is next asked what was uploaded; NULL: it isn't asked (again)
  etag         TEXT,                       -- what an inspection after the URL's expiry, or a job, saw: a job need not ask the bucket again
  media        TEXT,                       -- the media type by the first bytes, '' if they are of none
  multipart_id TEXT,                       -- the bucket's id of an unfinished upload in parts, '' before it has begun; NULL of any other
  refined      INTEGER NOT NULL DEFAULT 0, -- free jobs that refined masks of its picture: each job that reserves no units is one
  deleted_at   INTEGER                     -- the account has deleted it; the row stays until no PUT that began in time can end
) STRICT;

CREATE INDEX uploads_by_age ON uploads (created_at);
CREATE INDEX uploads_unused_by_age ON uploads (created_at) WHERE unused = 1;
CREATE INDEX uploads_to_inspect ON uploads (inspect_at) WHERE inspect_at IS NOT NULL;
CREATE INDEX uploads_by_account ON uploads (account_id, unused);
CREATE INDEX uploads_in_parts ON uploads (account_id) WHERE multipart_id IS NOT NULL;

-- A size that becomes known, or grows, adds to the account's bytes.
CREATE TRIGGER uploads_add_to_bytes AFTER UPDATE OF size ON uploads
WHEN new.size > coalesce(old.size, 0)
BEGIN
  INSERT INTO upload_bytes (account_id, hour, bytes)
  VALUES (new.account_id, new.created_at / 3600000, new.size - coalesce(old.size, 0))
  ON CONFLICT (account_id, hour) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER no_upload_for_an_erased_account BEFORE INSERT ON uploads
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;

CREATE TRIGGER uploads_add_to_deleted AFTER UPDATE OF deleted_at ON uploads
WHEN old.deleted_at IS NULL AND new.deleted_at < new.created_at + 86400000
BEGIN
  INSERT INTO upload_bytes (account_id, hour, bytes, deleted) VALUES (new.account_id, new.created_at / 3600000, 0, 1)
  ON CONFLICT (account_id, hour) DO UPDATE SET deleted = deleted + 1;
END;

CREATE TRIGGER uploads_add_to_counts AFTER INSERT ON uploads WHEN new.unused = 1
BEGIN
  INSERT INTO account_counts (account_id, unused_uploads) VALUES (new.account_id, 1)
  ON CONFLICT (account_id) DO UPDATE SET unused_uploads = unused_uploads + 1;
END;

CREATE TRIGGER uploads_change_counts AFTER UPDATE OF unused ON uploads WHEN new.unused <> old.unused
BEGIN
  UPDATE account_counts SET unused_uploads = unused_uploads + new.unused - old.unused WHERE account_id = new.account_id;
END;

CREATE TRIGGER uploads_take_from_counts AFTER DELETE ON uploads WHEN old.unused = 1
BEGIN
  UPDATE account_counts SET unused_uploads = unused_uploads - 1 WHERE account_id = old.account_id;
END;

-- A signed size adds to the account's bytes at once.
CREATE TRIGGER uploads_add_signed_bytes AFTER INSERT ON uploads
WHEN new.size > 0
BEGIN
  INSERT INTO upload_bytes (account_id, hour, bytes) VALUES (new.account_id, new.created_at / 3600000, new.size)
  ON CONFLICT (account_id, hour) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER no_new_uploads_while_moving BEFORE INSERT ON uploads
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_uploads_stay BEFORE UPDATE ON uploads
WHEN NEW.deleted_at IS NOT OLD.deleted_at AND EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_uploads_are_skipped BEFORE UPDATE ON uploads
WHEN NEW.deleted_at IS OLD.deleted_at AND EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

-- What an account uploaded by the hour of the presign: the sum over a day reads 25 rows.
CREATE TABLE upload_bytes (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  hour       INTEGER NOT NULL,
  bytes      INTEGER NOT NULL CHECK (bytes >= 0),
  deleted    INTEGER NOT NULL DEFAULT 0 CHECK (deleted >= 0), -- uploads that the account deleted within a day
  PRIMARY KEY (account_id, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX upload_bytes_by_age ON upload_bytes (hour);

-- The number of an account's uploads that the Worker inspected in the bucket on a day for jobs that it then refused.
CREATE TABLE refused_inspections (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  day        INTEGER NOT NULL,
  inspections      INTEGER NOT NULL CHECK (inspections > 0)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------------------------------------
-- Jobs
----------------------------------------------------------------------------------------------------------------------------------

-- A job in its account's list: a projection that its JobObject pushes. A row never goes back to an older version.
CREATE TABLE jobs (
  id          TEXT PRIMARY KEY,
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  type        TEXT NOT NULL CHECK (type IN ('image', 'video')),
  mode        TEXT NOT NULL CHECK (mode IN ('single', 'batch', 'video')),
  lane        TEXT NOT NULL CHECK (lane IN ('interactive', 'bulk', 'trial')),
  total_items INTEGER NOT NULL CHECK (total_items >= 1),
  files       INTEGER NOT NULL DEFAULT 0 CHECK (files >= 0),          -- the most that it may write, as of its acceptance
  task_ids    TEXT CHECK (task_ids IS NULL OR json_valid(task_ids)),  -- the uploads that it needs, a JSON array; NULL once it has ended
  continues   TEXT,                        -- the first job of the same uploads, to which this one adds; NULL: it adds to none
  status      TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'success', 'failed')),
  error       TEXT,
  version     INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX jobs_by_account ON jobs (account_id, id DESC);
-- For the trial lane: how full it is, and how fast its tasks end.
CREATE INDEX jobs_trial_open ON jobs (created_at) WHERE lane = 'trial' AND status IN ('queued', 'processing');
CREATE INDEX jobs_trial_ended ON jobs (updated_at) WHERE lane = 'trial' AND status IN ('success', 'failed');
CREATE INDEX jobs_by_status ON jobs (account_id, status, mode, id);
-- For the nightly sweeps: jobs under way whose row has not changed for the longest time, and the oldest of all jobs.
CREATE INDEX jobs_under_way_by_age ON jobs (updated_at, id) WHERE status IN ('queued', 'processing');
CREATE INDEX jobs_by_age ON jobs (created_at, id);
CREATE INDEX jobs_continuing ON jobs (continues, id) WHERE continues IS NOT NULL;

CREATE TRIGGER no_job_for_an_erased_account BEFORE INSERT ON jobs
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;

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

CREATE TRIGGER no_new_jobs_while_moving BEFORE INSERT ON jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_jobs_stay BEFORE UPDATE ON jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_jobs_are_kept BEFORE DELETE ON jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- A job that has left the list, past its retention or deleted by its account, and still has something in the bucket. An erasure, and
-- an operator who looks for a purge that hangs, find it here.
CREATE TABLE deleted_jobs (
  job_id     TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX deleted_jobs_by_account ON deleted_jobs (account_id);
CREATE INDEX deleted_jobs_by_age ON deleted_jobs (deleted_at, job_id);

CREATE TRIGGER no_new_deleted_jobs_while_moving BEFORE INSERT ON deleted_jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_deleted_jobs_are_kept BEFORE DELETE ON deleted_jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- A queue's message that no consumer could handle, for an operator to look at. It goes with its job.
CREATE TABLE dead_letters (
  id      INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,
  job_id  TEXT,                            -- NULL, as is the task: the message has none
  task_id TEXT
) STRICT;

CREATE INDEX dead_letters_by_job ON dead_letters (job_id) WHERE job_id IS NOT NULL;

----------------------------------------------------------------------------------------------------------------------------------
-- Ledger
----------------------------------------------------------------------------------------------------------------------------------

-- An entry about a job's units, and the fund that pays for them. Append-only: a balance is a sum, and another entry corrects a mistake.
--   reserve  at acceptance, the most the job can use
--   settle   at its end, what it did use        release  at its end, what it did not
--   void     all of it back: the job was never accepted
CREATE TABLE ledger (
  id          INTEGER PRIMARY KEY,
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  job_id      TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('reserve', 'settle', 'release', 'void')),
  fund        TEXT NOT NULL CHECK (fund IN ('trial', 'paid')),
  units       INTEGER NOT NULL CHECK (units >= 0),
  at          INTEGER NOT NULL,
  meter_event TEXT,                        -- the event that carries what a settle entry adds; NULL: none, or one of this job alone
  UNIQUE (job_id, kind)
) STRICT;

CREATE INDEX ledger_by_account ON ledger (account_id, fund, kind, at, units);
-- An account's ended jobs, in the order in which their ends were written.
CREATE INDEX ledger_ends ON ledger (account_id) WHERE kind IN ('settle', 'void');
CREATE INDEX ledger_by_meter_event ON ledger (meter_event) WHERE meter_event IS NOT NULL;

CREATE TRIGGER ledger_is_not_rewritten BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER ledger_takes_from_daily_use AFTER INSERT ON ledger
WHEN new.fund = 'paid' AND new.kind IN ('release', 'void')
BEGIN
  UPDATE daily_use SET units = max(0, units - new.units)
  WHERE account_id = new.account_id
    AND day = (SELECT at / 86400000 FROM ledger WHERE job_id = new.job_id AND kind = 'reserve');
END;

CREATE TRIGGER ledger_adds_to_trial_use AFTER INSERT ON ledger WHEN new.fund = 'trial' AND new.kind = 'reserve'
BEGIN
  INSERT INTO trial_use (account_id, used_tokens, started_at) VALUES (new.account_id, new.units, new.at)
  ON CONFLICT (account_id) DO UPDATE SET
    used_tokens = used_tokens + excluded.used_tokens,
    started_at = min(coalesce(started_at, excluded.started_at), excluded.started_at);
END;

CREATE TRIGGER ledger_takes_from_trial_use AFTER INSERT ON ledger
WHEN new.fund = 'trial' AND new.kind IN ('release', 'void')
BEGIN
  UPDATE trial_use SET used_tokens = used_tokens - new.units WHERE account_id = new.account_id;
END;

-- A job that was never accepted does not begin the trial. The first accepted one may be in the closed books.
CREATE TRIGGER voids_move_the_trials_begin AFTER INSERT ON ledger WHEN new.fund = 'trial' AND new.kind = 'void'
BEGIN
  UPDATE trial_use SET started_at = (SELECT min(at) FROM (
    SELECT min(at) AS at FROM ledger AS r WHERE account_id = new.account_id AND fund = 'trial' AND kind = 'reserve'
      AND NOT EXISTS (SELECT 1 FROM ledger AS v WHERE v.job_id = r.job_id AND v.kind = 'void')
    UNION ALL SELECT trial_started_at FROM ledger_closings WHERE account_id = new.account_id))
  WHERE account_id = new.account_id
    AND started_at = (SELECT at FROM ledger WHERE job_id = new.job_id AND kind = 'reserve');
END;

CREATE TRIGGER ledger_adds_to_settled_units AFTER INSERT ON ledger
WHEN new.kind = 'settle' AND new.units > 0
  AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = new.account_id AND erasing_at IS NOT NULL)
BEGIN
  INSERT INTO settled_units (account_id, slot, units) VALUES (new.account_id, new.at / 300000, new.units)
  ON CONFLICT (account_id, slot) DO UPDATE SET units = units + excluded.units;
END;

CREATE TRIGGER ledger_adds_to_usage_days AFTER INSERT ON ledger
WHEN new.kind = 'settle'
  AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = new.account_id AND erasing_at IS NOT NULL)
BEGIN
  INSERT INTO usage_days (account_id, day, units, jobs) VALUES (new.account_id, new.at / 86400000, new.units, 1)
  ON CONFLICT (account_id, day) DO UPDATE SET units = units + excluded.units, jobs = jobs + 1;
END;

CREATE TRIGGER ledger_adds_to_metered_use AFTER INSERT ON ledger WHEN new.fund = 'paid' AND new.kind = 'reserve'
BEGIN
  INSERT INTO metered_use (account_id, units) VALUES (new.account_id, new.units)
  ON CONFLICT (account_id) DO UPDATE SET units = units + excluded.units;
END;

-- What was used and is not metered, because the account was no customer, is owed to nobody.
CREATE TRIGGER ledger_takes_from_metered_use AFTER INSERT ON ledger
WHEN new.fund = 'paid' AND new.units > 0
  AND (new.kind IN ('release', 'void') OR (new.kind = 'settle' AND new.meter_event IS NULL))
BEGIN
  UPDATE metered_use SET units = max(0, units - new.units) WHERE account_id = new.account_id;
END;

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

-- A job that was never accepted has cost nothing: the account did not make the queue fail. Its row in `jobs` goes after this.
CREATE TRIGGER voids_take_tasks_from_daily_use AFTER INSERT ON ledger WHEN new.kind = 'void'
BEGIN
  UPDATE daily_use SET
    tasks = max(0, tasks - coalesce((SELECT total_items FROM jobs WHERE id = new.job_id), 0)),
    files = max(0, files - coalesce((SELECT files FROM jobs WHERE id = new.job_id), 0))
  WHERE account_id = new.account_id AND day = (SELECT created_at / 86400000 FROM jobs WHERE id = new.job_id);
END;

CREATE TRIGGER no_new_ledger_while_moving BEFORE INSERT ON ledger
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- An entry goes with a moved account, or within the transaction of the closing that covers it: its job's end is not beyond the
-- closing, and the end itself goes last.
CREATE TRIGGER ledger_is_not_erased BEFORE DELETE ON ledger
WHEN NOT EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 1)
  AND (NOT EXISTS (
    SELECT 1 FROM ledger_closings AS c
    WHERE c.account_id = OLD.account_id AND c.erasing_through >= CASE
      WHEN OLD.kind IN ('settle', 'void') THEN OLD.id
      ELSE (SELECT e.id FROM ledger AS e WHERE e.job_id = OLD.job_id AND e.kind IN ('settle', 'void')) END)
  OR (OLD.kind IN ('settle', 'void') AND EXISTS (
    SELECT 1 FROM ledger AS e WHERE e.job_id = OLD.job_id AND e.kind IN ('reserve', 'release'))))
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- These two alone write `uploads.refined`, in the transaction that reserves: concurrent requests can't exceed its limit together.
CREATE TRIGGER ledger_counts_refinements AFTER INSERT ON ledger WHEN new.units = 0 AND new.kind = 'reserve'
BEGIN
  UPDATE uploads SET refined = refined + 1
  WHERE task_id IN (SELECT value FROM json_each((SELECT task_ids FROM jobs WHERE id = new.job_id)));
END;

CREATE TRIGGER ledger_takes_back_refinements AFTER INSERT ON ledger WHEN new.units = 0 AND new.kind = 'void'
BEGIN
  UPDATE uploads SET refined = refined - 1
  WHERE task_id IN (SELECT value FROM json_each((SELECT task_ids FROM jobs WHERE id = new.job_id)));
END;

-- An account's closed books: the sums of its entries that are in the bucket and no longer in the ledger. Each closing adds a part.
-- The row names the last part, whose object names the one before it.
CREATE TABLE ledger_closings (
  account_id       TEXT PRIMARY KEY REFERENCES accounts (id),
  number           INTEGER NOT NULL CHECK (number >= 1),         -- of the last part
  object_key       TEXT NOT NULL,
  digest           TEXT NOT NULL CHECK (length(digest) = 64),    -- SHA-256 of the object, hex
  previous_digest  TEXT CHECK ((previous_digest IS NULL) = (number = 1)),
  closed_at        INTEGER NOT NULL,
  sums             TEXT NOT NULL CHECK (json_valid(sums)),       -- of all parts: src/billing/rules/closing.ts
  last_job_id      TEXT NOT NULL GENERATED ALWAYS AS (sums ->> '$.lastJobId') STORED, -- no job up to this one is accepted any more
  trial_used       INTEGER NOT NULL GENERATED ALWAYS AS (sums ->> '$.trial.settled') STORED,
  trial_started_at INTEGER GENERATED ALWAYS AS (sums ->> '$.trialStartedAt') STORED,
  metered_units    INTEGER NOT NULL GENERATED ALWAYS AS (sums ->> '$.meteredUnits') STORED,
  reported_units   INTEGER NOT NULL DEFAULT 0,                   -- of these, what was in events that are purged
  erasing_through  INTEGER                                       -- set within the closing's own transaction only
) STRICT, WITHOUT ROWID;

CREATE TRIGGER ledger_closings_are_chained
BEFORE UPDATE OF account_id, number, object_key, digest, previous_digest, closed_at, sums ON ledger_closings
WHEN NEW.account_id <> OLD.account_id OR NEW.number <> OLD.number + 1 OR NEW.previous_digest IS NOT OLD.digest
  OR OLD.erasing_through IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a closing is not rewritten'); END;

CREATE TRIGGER ledger_closings_erase_what_they_cover BEFORE UPDATE OF erasing_through ON ledger_closings
WHEN NEW.number = OLD.number AND (NEW.erasing_through IS NOT NULL OR EXISTS (
  SELECT 1 FROM ledger WHERE account_id = OLD.account_id AND kind IN ('settle', 'void') AND id <= OLD.erasing_through))
BEGIN SELECT RAISE(ABORT, 'a closing erases what it covers, and nothing later'); END;

-- Ignores the row: the closing comes after the move.
CREATE TRIGGER moving_books_are_not_closed BEFORE INSERT ON ledger_closings
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER moving_closings_are_skipped BEFORE UPDATE ON ledger_closings
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER ledger_closings_are_not_erased BEFORE DELETE ON ledger_closings
WHEN NOT EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 1)
BEGIN SELECT RAISE(ABORT, 'a closing is not erased'); END;

----------------------------------------------------------------------------------------------------------------------------------
-- Sums of the ledger, which triggers of `ledger` and `jobs` keep: reading one costs the same however many entries there are
----------------------------------------------------------------------------------------------------------------------------------

-- What an account used of its trial, and when the trial began.
CREATE TABLE trial_use (
  account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
  used_tokens INTEGER NOT NULL,            -- reserved and neither released nor voided
  started_at  INTEGER                      -- of the first reservation that was not voided
) STRICT, WITHOUT ROWID;

-- What an account's jobs came to on the last day on which one was accepted. A job that was requested just before midnight and is
-- listed after one of the new day counts on the new day. One of an earlier day, which a restored database gets back, counts on none.
CREATE TABLE daily_use (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  day        INTEGER NOT NULL,
  units      INTEGER NOT NULL CHECK (units >= 0),             -- of the paid fund: reserved and not given back
  tasks      INTEGER NOT NULL DEFAULT 0 CHECK (tasks >= 0),   -- failed ones too: they have cost the operator as much
  files      INTEGER NOT NULL DEFAULT 0 CHECK (files >= 0)    -- that the jobs may write, or wrote once they have ended
) STRICT, WITHOUT ROWID;

-- The units that an account's jobs settled in five minutes (src/billing/rules/ledger.ts): the overview adds up a day, whose first
-- minutes it reads from the ledger. An erased account has no overview.
CREATE TABLE settled_units (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  slot       INTEGER NOT NULL,
  units      INTEGER NOT NULL,
  PRIMARY KEY (account_id, slot)
) STRICT, WITHOUT ROWID;

CREATE INDEX settled_units_by_age ON settled_units (slot);

-- The units that an account's jobs settled on a day, and how many jobs ended: getAccountUsage reads a row a day. An erased account
-- has no usage.
CREATE TABLE usage_days (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  day        INTEGER NOT NULL,
  units      INTEGER NOT NULL CHECK (units >= 0),
  jobs       INTEGER NOT NULL CHECK (jobs >= 0),
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_days_by_age ON usage_days (day);

-- The units of the paid fund that an account's jobs have reserved, or have used and metered, less those that a deleted customer had
-- paid.
CREATE TABLE metered_use (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  units      INTEGER NOT NULL CHECK (units >= 0)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------------------------------------
-- Billing
----------------------------------------------------------------------------------------------------------------------------------

-- An account's customer at Stripe, as of the last webhook or question.
CREATE TABLE billing (
  account_id            TEXT PRIMARY KEY REFERENCES accounts (id),
  customer_id           TEXT NOT NULL UNIQUE,
  subscription_id       TEXT,
  subscription_status   TEXT,
  current_period_end    INTEGER,
  latest_invoice_status TEXT,
  paid_units            INTEGER NOT NULL DEFAULT 0 CHECK (paid_units >= 0),  -- units of the paid invoices
  owes                  INTEGER NOT NULL DEFAULT 0 CHECK (owes IN (0, 1)),   -- whether an invoice is overdue
  version               INTEGER NOT NULL DEFAULT 0, -- grows with each write: what was read before another's write is stale
  checked_at             INTEGER,                    -- when Stripe was last asked at night
  updated_at            INTEGER NOT NULL
) STRICT;

-- Customers whose stored subscription may be out of date.
CREATE INDEX billing_by_period_end ON billing (coalesce(current_period_end, 0)) WHERE subscription_status IN ('active', 'trialing');
CREATE INDEX billing_in_arrears ON billing (checked_at) WHERE owes = 1 OR subscription_status IN ('past_due', 'unpaid');

CREATE TRIGGER no_customer_for_an_erased_account BEFORE INSERT ON billing
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;

CREATE TRIGGER subscriptions_end AFTER UPDATE OF subscription_status ON billing
WHEN old.subscription_status IN ('active', 'trialing', 'past_due', 'unpaid')
  AND coalesce(new.subscription_status, '') NOT IN ('active', 'trialing', 'past_due', 'unpaid')
  AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = new.account_id AND erasing_at IS NOT NULL)
BEGIN
  INSERT INTO ended_subscriptions (account_id, ended_at) VALUES (new.account_id, new.updated_at) ON CONFLICT DO NOTHING;
END;

-- A deleted customer takes along what it has paid, and its subscription ends.
CREATE TRIGGER customers_go AFTER DELETE ON billing
BEGIN
  UPDATE metered_use SET units = max(0, units - old.paid_units) WHERE account_id = old.account_id;
  INSERT INTO ended_subscriptions (account_id, ended_at)
  SELECT old.account_id, unixepoch() * 1000
  WHERE old.subscription_status IN ('active', 'trialing', 'past_due', 'unpaid')
    AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND erasing_at IS NOT NULL)
  ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER no_new_billing_while_moving BEFORE INSERT ON billing
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_billing_are_kept BEFORE DELETE ON billing
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_customers_stay BEFORE UPDATE ON billing
WHEN NEW.checked_at IS OLD.checked_at AND EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_customers_are_skipped BEFORE UPDATE ON billing
WHEN NEW.checked_at IS NOT OLD.checked_at AND EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

-- A customer that was deleted at Stripe. Its meter events stay, and name it.
CREATE TABLE former_customers (
  customer_id  TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id),
  forgotten_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX former_customers_by_account ON former_customers (account_id);

CREATE TRIGGER no_new_former_customers_while_moving BEFORE INSERT ON former_customers
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- An account whose subscription has ended: a sweep still has to cancel what has not begun of its jobs. An erasure cancels them itself.
CREATE TABLE ended_subscriptions (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  ended_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ended_subscriptions_in_turn ON ended_subscriptions (ended_at);

CREATE TRIGGER no_new_ended_subscriptions_while_moving BEFORE INSERT ON ended_subscriptions
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- Ignores the row: the sweep that found nothing to cancel finds it again once the account has arrived.
CREATE TRIGGER moving_ended_subscriptions_are_kept BEFORE DELETE ON ended_subscriptions
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

-- The outbox of metered usage: an event for what a customer's jobs settled in an hour. Units are added to a window until it is first
-- tried; later use opens the next part of the hour, under another identifier. An event without a window has the use of one job whose
-- settlement a restored database has lost; it is never sent.
CREATE TABLE meter_events (
  identifier       TEXT PRIMARY KEY,       -- Stripe deduplicates by it
  customer_id      TEXT NOT NULL,
  account_id       TEXT REFERENCES accounts (id), -- NULL until a closing names it, in an event without a window
  units            INTEGER NOT NULL CHECK (units > 0),
  closed_units     INTEGER NOT NULL DEFAULT 0, -- of closed entries: an event that is sent and wholly closed may be purged
  at               INTEGER NOT NULL,
  window_from      INTEGER,
  closes_at        INTEGER,                -- not sent before: the hour's end, or the billing period's
  billing_version  INTEGER,                -- of the customer's row: what was used under another is another event
  first_tried_at   INTEGER,                -- Stripe may know the identifier since then
  last_tried_at    INTEGER,
  unanswered_tries INTEGER NOT NULL DEFAULT 0,
  sent_at          INTEGER
) STRICT;

CREATE INDEX meter_events_due ON meter_events (last_tried_at, at) WHERE sent_at IS NULL;
CREATE INDEX meter_events_by_window ON meter_events (account_id, window_from) WHERE account_id IS NOT NULL;
CREATE INDEX meter_events_closed ON meter_events (at, identifier) WHERE sent_at IS NOT NULL AND closed_units = units;
CREATE INDEX meter_events_by_customer ON meter_events (customer_id, at);

CREATE TRIGGER meter_events_stand_once_tried BEFORE UPDATE OF units, at ON meter_events WHEN OLD.last_tried_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a meter event that was tried is not changed'); END;

CREATE TRIGGER moving_meter_events_are_skipped BEFORE UPDATE ON meter_events
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

-- Ignores the row: a purge comes again.
CREATE TRIGGER moving_meter_events_are_kept BEFORE DELETE ON meter_events
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

-- An event of Stripe's webhook that has had its effect.
CREATE TABLE stripe_events (
  id          TEXT PRIMARY KEY,
  type        TEXT NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;

CREATE INDEX stripe_events_by_age ON stripe_events (received_at);

-- How often an account requested a page of Stripe in the last hour in which it did.
CREATE TABLE billing_sessions (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  hour       INTEGER NOT NULL,
  asked      INTEGER NOT NULL CHECK (asked > 0)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------------------------------------
-- Shares
----------------------------------------------------------------------------------------------------------------------------------

-- A job's results that its account shows to everyone with a link.
CREATE TABLE shares (
  job_id     TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  digest     TEXT NOT NULL UNIQUE,         -- of the link's token, which is stored nowhere
  further    TEXT NOT NULL CHECK (json_valid(further)), -- a JSON array: jobs of the same uploads whose results are shown too
  inputs     TEXT NOT NULL CHECK (json_valid(inputs)),  -- a JSON array: the uploads that are shown themselves
  annotations INTEGER NOT NULL DEFAULT 0 CHECK (annotations IN (0, 1)), -- whether the annotations of job_id are shown
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  day        INTEGER NOT NULL DEFAULT 0,
  reads      INTEGER NOT NULL DEFAULT 0    -- requests by the link on that day
) STRICT, WITHOUT ROWID;

CREATE INDEX shares_by_account ON shares (account_id, created_at, job_id);
CREATE INDEX shares_expiring ON shares (expires_at);

CREATE TRIGGER no_share_for_an_erased_account BEFORE INSERT ON shares
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;

CREATE TRIGGER no_new_shares_while_moving BEFORE INSERT ON shares
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- A share that is revoked in one database only would be open again in the other.
CREATE TRIGGER moving_shares_are_kept BEFORE DELETE ON shares
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

----------------------------------------------------------------------------------------------------------------------------------
-- Webhooks
----------------------------------------------------------------------------------------------------------------------------------

-- An address that receives an account's events. Its deliveries are in a WebhookObject whose name is the row's id. A deleted row stays,
-- blank, until that object is erased, and a day longer: it still counts against the limit of an account that makes endpoints all day.
CREATE TABLE webhook_endpoints (
  id              TEXT PRIMARY KEY,
  account_id      TEXT NOT NULL REFERENCES accounts (id),
  url             TEXT NOT NULL,
  events          TEXT,                      -- a JSON array of types; NULL: all
  description     TEXT,
  secrets         TEXT NOT NULL,             -- sealed
  disabled_at     INTEGER,
  disabled_reason TEXT CHECK ((disabled_reason IS NULL) = (disabled_at IS NULL)),
  enabled_at      INTEGER NOT NULL,          -- when it was last created or enabled: earlier failures no longer count
  deleted_at      INTEGER,
  erased_at       INTEGER CHECK (erased_at IS NULL OR deleted_at IS NOT NULL),
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX webhook_endpoints_by_account ON webhook_endpoints (account_id, id, deleted_at);
CREATE INDEX webhook_endpoints_to_erase ON webhook_endpoints (account_id, id) WHERE deleted_at IS NOT NULL AND erased_at IS NULL;
CREATE INDEX webhook_endpoints_erased ON webhook_endpoints (erased_at) WHERE erased_at IS NOT NULL;

CREATE TRIGGER no_endpoint_for_an_erased_account BEFORE INSERT ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;

CREATE TRIGGER no_new_webhook_endpoints_while_moving BEFORE INSERT ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_webhook_endpoints_stay BEFORE UPDATE ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- How often an account requested a test of a webhook endpoint in the last hour in which it did.
CREATE TABLE webhook_tests (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  hour       INTEGER NOT NULL,
  asked      INTEGER NOT NULL CHECK (asked > 0)
) STRICT, WITHOUT ROWID;

----------------------------------------------------------------------------------------------------------------------------------
-- Upkeep
----------------------------------------------------------------------------------------------------------------------------------

-- A nightly sweep through all old jobs that takes several nights, and where the next night continues. Without a row, it starts over.
CREATE TABLE rounds (
  part  TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The model that a pool of inference services last described, for times in which it is away.
CREATE TABLE pool_models (
  pool  TEXT PRIMARY KEY,
  model TEXT NOT NULL
) STRICT, WITHOUT ROWID;
