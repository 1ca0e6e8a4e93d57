-- The list by status and mode, newest first. It serves what jobs_under_way did: an account's jobs of one status are a range of it.
CREATE INDEX jobs_by_status ON jobs (account_id, status, mode, id);
DROP INDEX jobs_under_way;
