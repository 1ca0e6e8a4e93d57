-- What an inspection saw of an upload whose URL had expired: its ETag, and its media type by its first bytes ('' if they are
-- of none). A job that names the upload need not ask the bucket again. NULL: nothing was seen, or there is no object.
ALTER TABLE uploads ADD COLUMN etag TEXT;
ALTER TABLE uploads ADD COLUMN media TEXT;

-- How many uploads of an account the bucket was asked about on a day (epoch days, UTC) for jobs that were then refused.
CREATE TABLE refused_looks (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  day        INTEGER NOT NULL,
  looks      INTEGER NOT NULL CHECK (looks > 0)
) STRICT, WITHOUT ROWID;
