-- An account that is being moved to another database has a row here, where it is (`out`) and where it goes (`in`): its rows in
-- both are frozen. `open` is set within the mover's own transactions only. `place`: how far the move has come, as JSON; what it
-- means is in src/operator/store/transit.ts.
CREATE TABLE in_transit (
  account_id TEXT PRIMARY KEY,
  direction  TEXT NOT NULL CHECK (direction IN ('out', 'in')),
  other      TEXT NOT NULL,                -- the other database's binding
  open       INTEGER NOT NULL DEFAULT 0 CHECK (open IN (0, 1)),
  place      TEXT CHECK (place IS NULL OR json_valid(place)),
  begun_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What changes may be lost if it changes while it is copied; what is deleted because of its age may be deleted twice. A write for
-- one account is refused, and its writer tries again. One that a statement makes for many accounts is skipped, so that a
-- move holds up nobody else.

CREATE TRIGGER moving_accounts_stay BEFORE UPDATE ON accounts
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER no_new_api_keys_while_moving BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER no_new_uploads_while_moving BEFORE INSERT ON uploads
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER no_new_jobs_while_moving BEFORE INSERT ON jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER no_new_deleted_jobs_while_moving BEFORE INSERT ON deleted_jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER no_new_ledger_while_moving BEFORE INSERT ON ledger
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER no_new_idempotency_keys_while_moving BEFORE INSERT ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER no_new_billing_while_moving BEFORE INSERT ON billing
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER no_new_former_customers_while_moving BEFORE INSERT ON former_customers
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER no_new_webhook_endpoints_while_moving BEFORE INSERT ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_api_keys_stay BEFORE UPDATE ON api_keys
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_jobs_stay BEFORE UPDATE ON jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_idempotency_keys_stay BEFORE UPDATE ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_webhook_endpoints_stay BEFORE UPDATE ON webhook_endpoints
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_jobs_are_kept BEFORE DELETE ON jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_deleted_jobs_are_kept BEFORE DELETE ON deleted_jobs
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_billing_are_kept BEFORE DELETE ON billing
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_uploads_stay BEFORE UPDATE ON uploads
WHEN NEW.deleted_at IS NOT OLD.deleted_at AND EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_uploads_are_skipped BEFORE UPDATE ON uploads
WHEN NEW.deleted_at IS OLD.deleted_at AND EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER moving_customers_stay BEFORE UPDATE ON billing
WHEN NEW.looked_at IS OLD.looked_at AND EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

CREATE TRIGGER moving_customers_are_skipped BEFORE UPDATE ON billing
WHEN NEW.looked_at IS NOT OLD.looked_at AND EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER moving_meter_events_are_skipped BEFORE UPDATE ON meter_events
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER moving_meter_events_are_kept BEFORE DELETE ON meter_events
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER no_new_ended_subscriptions_while_moving BEFORE INSERT ON ended_subscriptions
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(ABORT, 'the account is being moved'); END;

-- The run that has found nothing to cancel finds it again once the account has arrived.
CREATE TRIGGER moving_ended_subscriptions_are_kept BEFORE DELETE ON ended_subscriptions
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER moving_books_are_not_closed BEFORE INSERT ON ledger_closings
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = NEW.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER moving_closings_are_skipped BEFORE UPDATE ON ledger_closings
WHEN EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 0)
BEGIN SELECT RAISE(IGNORE); END;

-- As in 0006; and an account that was moved leaves nothing behind.
DROP TRIGGER ledger_closings_are_not_erased;
CREATE TRIGGER ledger_closings_are_not_erased BEFORE DELETE ON ledger_closings
WHEN NOT EXISTS (SELECT 1 FROM in_transit WHERE account_id = OLD.account_id AND open = 1)
BEGIN SELECT RAISE(ABORT, 'a closing is not erased'); END;

DROP TRIGGER ledger_is_not_erased;
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
