-- The directory: which account's books are in another database than the first, and whose credentials are whose. It is read in the
-- first database alone; the others have the same tables, empty. What it does not name is in the first database.
CREATE TABLE directory_accounts (
  account_id TEXT PRIMARY KEY,
  books      TEXT NOT NULL                 -- the database's binding
) STRICT, WITHOUT ROWID;

-- `credential` is the SHA-256, hex, of an API key, or of an identity's issuer and subject.
CREATE TABLE directory_credentials (
  credential TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES directory_accounts (account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX directory_credentials_by_account ON directory_credentials (account_id);

-- The databases that take new accounts, with their sizes as last seen; each new account counts until then. Without rows: the first.
CREATE TABLE databases (
  name     TEXT PRIMARY KEY,
  bytes    INTEGER NOT NULL CHECK (bytes >= 0),
  added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
