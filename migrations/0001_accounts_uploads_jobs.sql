-- Times are epoch milliseconds. Identifiers are opaque strings that sort by time.

CREATE TABLE accounts (
  id             TEXT PRIMARY KEY,
  email          TEXT NOT NULL,
  email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1)),
  name           TEXT,
  image          TEXT,
  plan           TEXT NOT NULL CHECK (plan IN ('trial', 'paid', 'blocked')),
  status         TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id         TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  label      TEXT NOT NULL,
  prefix     TEXT NOT NULL,                -- the secret's first characters, to recognise it by
  digest     TEXT NOT NULL UNIQUE,         -- SHA-256 of the secret, hex; the secret itself is nowhere
  revoked_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX api_keys_by_account ON api_keys (account_id, id);

CREATE TABLE uploads (
  task_id      TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id),
  content_type TEXT NOT NULL,
  created_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX uploads_by_age ON uploads (created_at);

-- The list of jobs: a projection that each JobObject pushes. A row never goes back to an older version.
CREATE TABLE jobs (
  id          TEXT PRIMARY KEY,
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  type        TEXT NOT NULL CHECK (type IN ('image', 'video')),
  mode        TEXT NOT NULL CHECK (mode IN ('single', 'batch', 'video')),
  total_items INTEGER NOT NULL CHECK (total_items >= 1),
  status      TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'success', 'failed')),
  error       TEXT,
  version     INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX jobs_by_account ON jobs (account_id, id DESC);
CREATE INDEX jobs_under_way ON jobs (account_id) WHERE status IN ('queued', 'processing');
