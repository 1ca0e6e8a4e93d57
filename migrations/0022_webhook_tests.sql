-- How often an account asked for a test of a webhook endpoint in the last hour (epoch hours) in which it did.
CREATE TABLE webhook_tests (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  hour       INTEGER NOT NULL,
  asked      INTEGER NOT NULL CHECK (asked > 0)
) STRICT, WITHOUT ROWID;
