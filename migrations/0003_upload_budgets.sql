-- An upload is unused until an accepted job names it. The rows from before this migration, and those that an older Worker
-- still writes, count as used: they are kept for the whole retention, as before.
ALTER TABLE uploads ADD COLUMN unused INTEGER NOT NULL DEFAULT 0 CHECK (unused IN (0, 1));
-- The most bytes that an inspection saw; NULL before the first, 0 if there was no object.
ALTER TABLE uploads ADD COLUMN size INTEGER CHECK (size >= 0);
-- When the bucket is next asked what was uploaded; NULL if it is not to be asked (again).
ALTER TABLE uploads ADD COLUMN inspect_at INTEGER;

CREATE INDEX uploads_unused ON uploads (account_id) WHERE unused = 1;
CREATE INDEX uploads_unused_by_age ON uploads (created_at) WHERE unused = 1;
CREATE INDEX uploads_to_inspect ON uploads (inspect_at) WHERE inspect_at IS NOT NULL;

-- The bytes of an account's uploads by the hour (epoch hours) of their presign: a sum over a day reads 25 rows.
CREATE TABLE upload_bytes (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  hour       INTEGER NOT NULL,
  bytes      INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (account_id, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX upload_bytes_by_age ON upload_bytes (hour);

-- An upload whose size becomes known, or grows, adds to its account's bytes, whoever writes the size.
CREATE TRIGGER uploads_add_to_bytes AFTER UPDATE OF size ON uploads
WHEN new.size > coalesce(old.size, 0)
BEGIN
  INSERT INTO upload_bytes (account_id, hour, bytes)
  VALUES (new.account_id, new.created_at / 3600000, new.size - coalesce(old.size, 0))
  ON CONFLICT (account_id, hour) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE INDEX api_keys_by_revocation ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
