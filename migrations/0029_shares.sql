-- Results that an account shows to whoever has a link. Only the digest of the link's token is here. `further` and `inputs` are JSON
-- lists: jobs of the same uploads whose results are shown too, and the uploads that are shown themselves. `reads` counts the
-- requests by the link on `day` (epoch days, UTC).
CREATE TABLE shares (
  job_id     TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  digest     TEXT NOT NULL UNIQUE,
  further    TEXT NOT NULL CHECK (json_valid(further)),
  inputs     TEXT NOT NULL CHECK (json_valid(inputs)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  day        INTEGER NOT NULL DEFAULT 0,
  reads      INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX shares_by_account ON shares (account_id, created_at, job_id);
CREATE INDEX shares_expiring ON shares (expires_at);

CREATE TRIGGER no_share_for_an_erased_account BEFORE INSERT ON shares
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;

CREATE TRIGGER no_new_shares_while_moving BEFORE INSERT ON shares
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- One that is revoked on one side only would be open again on the other.
CREATE TRIGGER moving_shares_are_kept BEFORE DELETE ON shares
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;
