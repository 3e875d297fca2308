-- What has been counted within the last minute or so, in slots of time. A row written by every batch has as many versions as there were
-- batches, and while somebody keeps an old snapshot, for a dump or a long report, none of them can be cleared away: each look-up goes
-- through them all. A slot is over before it has many, and then added to its counter.
CREATE TABLE usage_recent (
  organization_id uuid NOT NULL,
  month date NOT NULL,
  metric text NOT NULL,
  slot bigint NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (organization_id, month, metric, slot)
) WITH (fillfactor = 50);

CREATE INDEX usage_recent_by_slot ON usage_recent (slot);

-- the last slot that `value` holds
ALTER TABLE usage_counter ADD COLUMN last_slot bigint NOT NULL DEFAULT 0;
