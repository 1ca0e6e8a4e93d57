-- The units that an account's jobs settled, by slots of five minutes (src/core/settled-slots.ts): the overview adds up a day.
-- The first minutes of that day are read from the ledger. An account that is erased has no overview.
CREATE TABLE settled_units (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  slot       INTEGER NOT NULL,
  units      INTEGER NOT NULL,
  PRIMARY KEY (account_id, slot)
) STRICT, WITHOUT ROWID;

CREATE INDEX settled_units_by_age ON settled_units (slot);

INSERT INTO settled_units (account_id, slot, units)
SELECT account_id, at / 300000, sum(units) FROM ledger
WHERE kind = 'settle' AND units > 0 AND at > (unixepoch() - 2 * 86400) * 1000
  AND account_id IN (SELECT id FROM accounts WHERE erasing_at IS NULL)
GROUP BY account_id, at / 300000;

CREATE TRIGGER ledger_adds_to_settled_units AFTER INSERT ON ledger
WHEN new.kind = 'settle' AND new.units > 0
  AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = new.account_id AND erasing_at IS NOT NULL)
BEGIN
  INSERT INTO settled_units (account_id, slot, units) VALUES (new.account_id, new.at / 300000, new.units)
  ON CONFLICT (account_id, slot) DO UPDATE SET units = units + excluded.units;
END;

-- For the operator's check of the ledger, which goes through the books page by page: an event's entries, a customer's events.
CREATE INDEX ledger_by_meter_event ON ledger (meter_event) WHERE meter_event IS NOT NULL;
CREATE INDEX meter_events_by_customer ON meter_events (customer_id, at);

-- Whose turn it is: when Stripe was last asked at night, when the books were last refused, when an erasure was last tried.
ALTER TABLE billing ADD COLUMN looked_at INTEGER;
ALTER TABLE accounts ADD COLUMN books_refused_at INTEGER;
ALTER TABLE accounts ADD COLUMN erasure_tried_at INTEGER;

CREATE INDEX billing_in_arrears ON billing (looked_at) WHERE subscription_status IN ('past_due', 'unpaid');
DROP INDEX accounts_being_erased;
CREATE INDEX accounts_being_erased ON accounts (erasure_tried_at, erasing_at)
WHERE erasing_at IS NOT NULL AND erased_at IS NULL;
