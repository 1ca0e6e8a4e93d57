-- Where accounts are told of the ends of their jobs and archives. `events` is a JSON list of types, NULL for all; `secrets` are
-- sealed. What is on its way to an endpoint is not here but in the endpoint's own object, whose name is the row's id: a row that is
-- deleted stays, blank, until that object is erased, and a day longer: whoever makes and deletes endpoints all day has a limit.
CREATE TABLE webhook_endpoints (
  id              TEXT PRIMARY KEY,
  account_id      TEXT NOT NULL REFERENCES accounts (id),
  url             TEXT NOT NULL,
  events          TEXT,
  description     TEXT,
  secrets         TEXT NOT NULL,
  disabled_at     INTEGER,
  disabled_reason TEXT CHECK ((disabled_reason IS NULL) = (disabled_at IS NULL)),
  enabled_at      INTEGER NOT NULL,          -- when it was last begun or enabled: failures before count no more
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
