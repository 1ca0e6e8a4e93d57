-- An upload whose size is signed has it from the beginning, and adds to its account's bytes at once.
CREATE TRIGGER uploads_add_signed_bytes AFTER INSERT ON uploads
WHEN new.size > 0
BEGIN
  INSERT INTO upload_bytes (account_id, hour, bytes) VALUES (new.account_id, new.created_at / 3600000, new.size)
  ON CONFLICT (account_id, hour) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
