-- what has failed since a moment is replayed in the order in which it failed, whatever failed before; no other statement is for it
CREATE INDEX webhook_delivery_failed_by_end ON webhook_delivery (organization_id, endpoint_number, settled_at, subject_id, sequence)
  WHERE NOT delivered;

-- the last moment, by its own clock, of which the upstream told what stands here: what it repeats late takes the place of nothing newer
ALTER TABLE sending_number
  ADD COLUMN throughput_told_at timestamptz, ADD COLUMN limit_told_at timestamptz, ADD COLUMN name_told_at timestamptz;
