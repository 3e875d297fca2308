-- Usage by day (UTC), for plots: sums of `usage_recent`, made when its slots are closed. No send and no status writes to it.
CREATE TABLE usage_day (
  organization_id uuid NOT NULL,
  day date NOT NULL,
  metric text NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (organization_id, day, metric)
) WITH (fillfactor = 50);

-- For the end of their retention.
CREATE INDEX usage_day_by_day ON usage_day (day);
