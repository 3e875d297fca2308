-- Messages of the whole gateway in slots of 30 seconds (epoch / 30), for plots of the last hours: sums of `usage_recent`, made when its
-- slots are closed.
CREATE TABLE traffic (
  slot bigint NOT NULL,
  metric text NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (slot, metric)
);

-- Each node's own figures, for pages that another node serves. Replaced every few seconds.
CREATE TABLE node_report (
  node_id uuid PRIMARY KEY,
  reported_at timestamptz NOT NULL,
  report jsonb NOT NULL
) WITH (fillfactor = 50);

-- Numbers and accounts that need attention are few among many.
CREATE INDEX sending_number_stopped ON sending_number (organization_id, number_id) WHERE paused OR parked_code IS NOT NULL;
CREATE INDEX waba_parked ON waba (organization_id, waba_id) WHERE parked_code IS NOT NULL;
CREATE INDEX webhook_endpoint_failing ON webhook_endpoint (organization_id, id)
  WHERE deleted_at IS NULL AND (disabled_reason IN ('gone', 'failing') OR failing_since IS NOT NULL);
