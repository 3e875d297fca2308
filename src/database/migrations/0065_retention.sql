-- Retention of an organization's data that is shorter than the process's: a JSON object of days by kind.
ALTER TABLE organization ADD COLUMN retention jsonb NOT NULL DEFAULT '{}';
-- Time up to which the body of a sent message is kept.
ALTER TABLE organization ADD COLUMN keep_bodies text NOT NULL DEFAULT 'until_expiry'
  CHECK (keep_bodies IN ('until_expiry', 'until_sent'));

-- How far data past its time was removed, by organization and kind. A row is locked while one node works on it.
CREATE TABLE retention_progress (
  organization_id uuid NOT NULL REFERENCES organization,
  kind text NOT NULL CHECK (kind IN ('messages', 'events', 'bodies')),
  -- id of the last message, time of the next day, or position in the order of events; null before the first step
  position text,
  PRIMARY KEY (organization_id, kind)
);

-- Finds the oldest files of an organization that still have their name.
CREATE INDEX media_named ON media (organization_id, created_at) WHERE file_name IS NOT NULL;
