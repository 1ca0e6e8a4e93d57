-- Metered use: an event per account and hour of UTC instead of one per job. Units are added to a window until it is first
-- tried; use that comes after that opens the next part of the hour, under an identifier of its own. An event without
-- `closes_at` is of one job, written by a Worker that knew no windows.
ALTER TABLE meter_events ADD COLUMN account_id TEXT REFERENCES accounts (id);
ALTER TABLE meter_events ADD COLUMN window_from INTEGER;
ALTER TABLE meter_events ADD COLUMN closes_at INTEGER;       -- not sent before: the hour's end, or the billing period's
ALTER TABLE meter_events ADD COLUMN billing_version INTEGER; -- of the customer's row: what was used under another is another event
ALTER TABLE meter_events ADD COLUMN unanswered_tries INTEGER NOT NULL DEFAULT 0;

CREATE INDEX meter_events_by_window ON meter_events (account_id, window_from) WHERE account_id IS NOT NULL;

CREATE TRIGGER meter_events_stand_once_tried BEFORE UPDATE OF units, at ON meter_events WHEN OLD.last_tried_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a meter event that was tried is not changed'); END;

-- The meter event that carries what an entry settled. NULL: none, or the event of this one job.
ALTER TABLE ledger ADD COLUMN meter_event TEXT;

-- Whose subscription's state may be out of date.
CREATE INDEX billing_by_period_end ON billing (coalesce(current_period_end, 0)) WHERE subscription_status IN ('active', 'trialing');

-- Closed books, one row per account: what its entries came to that are in the bucket and no longer in the ledger.
-- Each closing adds a part. The row names the last one, whose object names the one before it.
CREATE TABLE ledger_closings (
  account_id       TEXT PRIMARY KEY REFERENCES accounts (id),
  number           INTEGER NOT NULL CHECK (number >= 1),         -- of the last part
  object_key       TEXT NOT NULL,
  digest           TEXT NOT NULL CHECK (length(digest) = 64),    -- SHA-256 of the object, hex
  previous_digest  TEXT CHECK ((previous_digest IS NULL) = (number = 1)),
  closed_at        INTEGER NOT NULL,
  sums             TEXT NOT NULL CHECK (json_valid(sums)),       -- of all parts: src/core/closing.ts
  first_at         INTEGER NOT NULL GENERATED ALWAYS AS (sums ->> '$.firstAt') STORED,
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
CREATE TRIGGER ledger_closings_are_not_erased BEFORE DELETE ON ledger_closings
BEGIN SELECT RAISE(ABORT, 'a closing is not erased'); END;

-- Each account's ended jobs, in the order in which their ends were written.
CREATE INDEX ledger_ends ON ledger (account_id) WHERE kind IN ('settle', 'void');

-- An entry goes only within the transaction of the closing that covers it: its job's end is not beyond the closing, and the
-- end itself goes last.
DROP TRIGGER ledger_is_not_erased;
CREATE TRIGGER ledger_is_not_erased BEFORE DELETE ON ledger
WHEN NOT EXISTS (
    SELECT 1 FROM ledger_closings AS c
    WHERE c.account_id = OLD.account_id AND c.erasing_through >= CASE
      WHEN OLD.kind IN ('settle', 'void') THEN OLD.id
      ELSE (SELECT e.id FROM ledger AS e WHERE e.job_id = OLD.job_id AND e.kind IN ('settle', 'void')) END)
  OR (OLD.kind IN ('settle', 'void') AND EXISTS (
    SELECT 1 FROM ledger AS e WHERE e.job_id = OLD.job_id AND e.kind IN ('reserve', 'release')))
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- How many of an event's units are of closed entries. An event that is sent and wholly closed may be purged.
ALTER TABLE meter_events ADD COLUMN closed_units INTEGER NOT NULL DEFAULT 0;
CREATE INDEX meter_events_closed ON meter_events (at, identifier) WHERE sent_at IS NOT NULL AND closed_units = units;
