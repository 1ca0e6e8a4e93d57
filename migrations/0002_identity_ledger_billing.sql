-- Who signs in by an access token: the token's issuer and subject together name one account.
ALTER TABLE accounts ADD COLUMN issuer TEXT;
ALTER TABLE accounts ADD COLUMN subject TEXT;
CREATE UNIQUE INDEX accounts_by_subject ON accounts (issuer, subject) WHERE subject IS NOT NULL;

-- The units of every job, and who bears them. Append-only: a balance is a sum, and a mistake is mended by another entry.
--   reserve  at acceptance, the most the job can use
--   settle   at its end, what it did use        release  at its end, what it did not
--   void     all of it back: the job was never accepted
CREATE TABLE ledger (
  id         INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  job_id     TEXT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('reserve', 'settle', 'release', 'void')),
  fund       TEXT NOT NULL CHECK (fund IN ('trial', 'paid')),
  units      INTEGER NOT NULL CHECK (units >= 0),
  at         INTEGER NOT NULL,
  UNIQUE (job_id, kind)
) STRICT;

CREATE INDEX ledger_by_account ON ledger (account_id, fund, kind, at, units);

CREATE TRIGGER ledger_is_not_rewritten BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_not_erased BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

-- One row a request that may be repeated; `answer` is sealed, and there once the request has ended well.
CREATE TABLE idempotency_keys (
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  operation   TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,               -- SHA-256 of the validated body, hex
  effect_id   TEXT NOT NULL,               -- the id of what the request makes: taken up again, it makes the same
  lease       TEXT NOT NULL,               -- who is at it
  lease_until INTEGER NOT NULL,
  answer      TEXT,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (account_id, operation, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- An account at the payment provider. `version` grows with each write: what was read before another's write is stale.
CREATE TABLE billing (
  account_id            TEXT PRIMARY KEY REFERENCES accounts (id),
  customer_id           TEXT NOT NULL UNIQUE,
  subscription_id       TEXT,
  subscription_status   TEXT,
  current_period_end    INTEGER,
  latest_invoice_status TEXT,
  version               INTEGER NOT NULL DEFAULT 0,
  updated_at            INTEGER NOT NULL
) STRICT;

-- Customers that were deleted at the payment provider. Their meter events stay, and name them.
CREATE TABLE former_customers (
  customer_id  TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id),
  forgotten_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX former_customers_by_account ON former_customers (account_id);

-- Webhook events that have had their effect.
CREATE TABLE stripe_events (
  id          TEXT PRIMARY KEY,
  type        TEXT NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;

CREATE INDEX stripe_events_by_age ON stripe_events (received_at);

-- The outbox of metered usage: an event a settled job of a customer. `identifier` is what the provider dedupes by.
CREATE TABLE meter_events (
  identifier     TEXT PRIMARY KEY,
  customer_id    TEXT NOT NULL,
  units          INTEGER NOT NULL CHECK (units > 0),
  at             INTEGER NOT NULL,
  first_tried_at INTEGER,                  -- the provider may know the identifier since then
  last_tried_at  INTEGER,
  sent_at        INTEGER
) STRICT;

CREATE INDEX meter_events_due ON meter_events (last_tried_at, at) WHERE sent_at IS NULL;
