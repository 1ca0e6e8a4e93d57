-- An erasure takes a while. `erasing_at`: it has begun, and nothing is written for the account any more. `erased_at`: of
-- the account, only this row is left, and the books that name its id.
ALTER TABLE accounts ADD COLUMN erasing_at INTEGER;
ALTER TABLE accounts ADD COLUMN erased_at INTEGER;

CREATE INDEX accounts_being_erased ON accounts (erasing_at) WHERE erasing_at IS NOT NULL AND erased_at IS NULL;

-- A request that was let in before the erasure began could still write after it.
CREATE TRIGGER no_key_for_an_erased_account BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;
CREATE TRIGGER no_upload_for_an_erased_account BEFORE INSERT ON uploads
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;
CREATE TRIGGER no_job_for_an_erased_account BEFORE INSERT ON jobs
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;
CREATE TRIGGER no_answer_for_an_erased_account BEFORE INSERT ON idempotency_keys
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;
CREATE TRIGGER no_customer_for_an_erased_account BEFORE INSERT ON billing
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = NEW.account_id AND erasing_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;
CREATE TRIGGER erased_accounts_stay_erased BEFORE UPDATE OF email, name, image, issuer, subject, status ON accounts
WHEN OLD.erasing_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'the account is erased'); END;
