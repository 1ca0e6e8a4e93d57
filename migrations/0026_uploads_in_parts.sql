-- The bucket's id of an upload in parts, which an end of the upload has to abort: empty before it has begun, NULL once the parts
-- are one file, and of every upload that comes at once.
ALTER TABLE uploads ADD COLUMN multipart_id TEXT;

-- The unfinished ones of an account, which its erasure aborts.
CREATE INDEX uploads_in_parts ON uploads (account_id) WHERE multipart_id IS NOT NULL;
