-- Media ids this gateway knows: uploaded through it, or received in a message.
CREATE TABLE media (
  organization_id uuid NOT NULL,
  -- the upstream's id
  media_id text NOT NULL,
  -- the number it is good for: an upstream id works for no other
  phone_number_id text NOT NULL,
  mime_type text,
  -- null for received media, whose size is not told
  bytes bigint,
  file_name text,
  -- hex for uploads, the upstream's spelling for received media
  sha256 text,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, media_id)
);
-- the sweep deletes what has long expired, oldest first
CREATE INDEX media_by_expiry ON media (expires_at);
