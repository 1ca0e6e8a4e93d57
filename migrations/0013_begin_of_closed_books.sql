-- For the operator's check of the ledger: when the first entry of all closed books was written.
CREATE INDEX ledger_closings_by_begin ON ledger_closings (first_at);
