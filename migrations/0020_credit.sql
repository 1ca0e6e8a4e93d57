-- What a customer's invoices at Stripe came to, as of the last webhook: the units of those that are paid, and whether one is
-- overdue. What was reported for a customer from before this migration counts as paid until Stripe is asked.
ALTER TABLE billing ADD COLUMN paid_units INTEGER NOT NULL DEFAULT 0 CHECK (paid_units >= 0);
ALTER TABLE billing ADD COLUMN owes INTEGER NOT NULL DEFAULT 0 CHECK (owes IN (0, 1));
UPDATE billing SET paid_units =
  coalesce((SELECT sum(units) FROM meter_events WHERE meter_events.customer_id = billing.customer_id), 0);

DROP INDEX billing_in_arrears;
CREATE INDEX billing_in_arrears ON billing (looked_at) WHERE owes = 1 OR subscription_status IN ('past_due', 'unpaid');

-- How many units a subscriber may have used that are not paid yet. NULL: as many as the setting CREDIT_UNITS says.
ALTER TABLE accounts ADD COLUMN credit_units INTEGER CHECK (credit_units >= 0);

-- The units that jobs of the paid fund have reserved, or have used and metered, less those that a deleted customer had paid.
-- What was reserved before this migration does not count.
CREATE TABLE metered_use (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  units      INTEGER NOT NULL CHECK (units >= 0)
) STRICT, WITHOUT ROWID;

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

-- Accounts whose subscription has ended: what has not begun of their jobs is still to be cancelled. An erased account's is.
CREATE TABLE ended_subscriptions (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  ended_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ended_subscriptions_in_turn ON ended_subscriptions (ended_at);

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
