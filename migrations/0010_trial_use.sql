-- What an account used of its trial, and when the trial began. A sum over the ledger's entries would be read by each request
-- for a job or for the account's overview, and a trial whose jobs fail all day has thousands of entries.
CREATE TABLE trial_use (
  account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
  used_tokens INTEGER NOT NULL,            -- reserved and neither released nor voided
  started_at  INTEGER                      -- of the first reservation that was not voided
) STRICT, WITHOUT ROWID;

INSERT INTO trial_use (account_id, used_tokens, started_at)
SELECT account_id, sum(tokens), min(started_at) FROM (
  SELECT account_id, CASE kind WHEN 'reserve' THEN units WHEN 'settle' THEN 0 ELSE -units END AS tokens,
    CASE WHEN kind = 'reserve'
           AND NOT EXISTS (SELECT 1 FROM ledger AS v WHERE v.job_id = l.job_id AND v.kind = 'void')
         THEN at END AS started_at
  FROM ledger AS l WHERE fund = 'trial'
  UNION ALL SELECT account_id, trial_used, trial_started_at FROM ledger_closings)
GROUP BY account_id;

CREATE TRIGGER ledger_adds_to_trial_use AFTER INSERT ON ledger WHEN new.fund = 'trial' AND new.kind = 'reserve'
BEGIN
  INSERT INTO trial_use (account_id, used_tokens, started_at) VALUES (new.account_id, new.units, new.at)
  ON CONFLICT (account_id) DO UPDATE SET
    used_tokens = used_tokens + excluded.used_tokens,
    started_at = min(coalesce(started_at, excluded.started_at), excluded.started_at);
END;

CREATE TRIGGER ledger_takes_from_trial_use AFTER INSERT ON ledger
WHEN new.fund = 'trial' AND new.kind IN ('release', 'void')
BEGIN
  UPDATE trial_use SET used_tokens = used_tokens - new.units WHERE account_id = new.account_id;
END;

-- A job that was never accepted does not begin the trial. The first one that was accepted may be in the closed books.
CREATE TRIGGER voids_move_the_trials_begin AFTER INSERT ON ledger WHEN new.fund = 'trial' AND new.kind = 'void'
BEGIN
  UPDATE trial_use SET started_at = (SELECT min(at) FROM (
    SELECT min(at) AS at FROM ledger AS r WHERE account_id = new.account_id AND fund = 'trial' AND kind = 'reserve'
      AND NOT EXISTS (SELECT 1 FROM ledger AS v WHERE v.job_id = r.job_id AND v.kind = 'void')
    UNION ALL SELECT trial_started_at FROM ledger_closings WHERE account_id = new.account_id))
  WHERE account_id = new.account_id
    AND started_at = (SELECT at FROM ledger WHERE job_id = new.job_id AND kind = 'reserve');
END;
