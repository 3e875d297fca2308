-- Webhooks to the customer -------------------------------------------------------------------------------------------

CREATE TABLE webhook_endpoint (
  organization_id uuid NOT NULL REFERENCES organization,
  id uuid NOT NULL UNIQUE,
  -- Small stand-in for the id in the queue.
  endpoint_number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  url text NOT NULL,
  description text,
  format text NOT NULL CHECK (format IN ('standard', 'cloud_api')),
  signing text NOT NULL CHECK (signing IN ('hmac', 'ed25519')),
  -- null = all, in these three
  event_types text[],
  phone_number_ids text[],
  waba_ids text[],
  -- one delivery at a time per conversation, in the order of events
  ordered boolean NOT NULL,
  -- null = as fast as the endpoint answers
  rate_per_second real CHECK (rate_per_second > 0),
  secret_sealed bytea NOT NULL,
  -- signs beside the secret until its time has come
  old_secret_sealed bytea,
  old_secret_until timestamptz,
  disabled_at timestamptz,
  -- 'owner', 'gone' (it answered 410), 'failing'
  disabled_reason text,
  -- since when every attempt has failed, and how many those were
  failing_since timestamptz,
  failures_in_row integer NOT NULL DEFAULT 0,
  -- the transaction horizon when it was made: events from below are not for it
  since_xid xid8 NOT NULL DEFAULT pg_snapshot_xmin(pg_current_snapshot()),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- the row stays until what it left in the queue has been cleared away
  deleted_at timestamptz,
  PRIMARY KEY (organization_id, id)
) WITH (fillfactor = 50);

-- One row: how far events have been dealt out to endpoints. Whoever writes to the queue locks it first, so that the numbers
-- there rise in the order of commits; changes of endpoints lock it too, so that every event is matched with the endpoints that
-- stood when it was dealt out.
CREATE TABLE webhook_fan_out (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  -- event cursor; null while there is no endpoint
  position text,
  -- how often it was moved, and how often endpoints changed
  moves bigint NOT NULL DEFAULT 0,
  revision bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO webhook_fan_out DEFAULT VALUES;

-- What waits for delivery, one row per endpoint and event. Hot and narrow: inserted, read through cursors, deleted by its key
-- when settled; updated after a failed attempt only.
CREATE TABLE webhook_queue (
  organization_id uuid NOT NULL,
  endpoint_number integer NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  subject_id uuid NOT NULL,
  sequence smallint NOT NULL,
  event_type smallint NOT NULL,
  -- when the event was written, in whole seconds: names the day it is found in
  event_at timestamptz NOT NULL,
  -- within which order is kept; null where none is
  conversation uuid,
  attempts smallint NOT NULL DEFAULT 0,
  -- of the attempt after a failed one; null before the first
  due_at timestamptz,
  PRIMARY KEY (organization_id, endpoint_number, seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
-- an event waits once per endpoint
CREATE UNIQUE INDEX webhook_queue_by_event ON webhook_queue (organization_id, endpoint_number, subject_id, sequence);
-- an endpoint's retries in the order they fall due
CREATE INDEX webhook_queue_by_due ON webhook_queue (organization_id, endpoint_number, due_at, seq) WHERE due_at IS NOT NULL;
-- the rest of a conversation whose order is kept
CREATE INDEX webhook_queue_by_conversation ON webhook_queue (organization_id, endpoint_number, conversation, seq)
  WHERE conversation IS NOT NULL;

-- How deliveries ended, one row per endpoint and event, with the attempt that ended them. Partitions by the day of the event,
-- dropped with it.
CREATE TABLE webhook_delivery (
  organization_id uuid NOT NULL,
  endpoint_number integer NOT NULL,
  event_at timestamptz NOT NULL,
  subject_id uuid NOT NULL,
  sequence smallint NOT NULL,
  event_type smallint NOT NULL,
  delivered boolean NOT NULL,
  attempts smallint NOT NULL,
  settled_at timestamptz NOT NULL,
  http_status smallint,
  failure text,
  latency_ms integer,
  answer text,
  PRIMARY KEY (organization_id, endpoint_number, event_at, subject_id, sequence)
) PARTITION BY RANGE (event_at);
-- failed ones are listed and replayed, and are few among many
CREATE INDEX webhook_delivery_failed ON webhook_delivery (organization_id, endpoint_number, event_at, subject_id, sequence)
  WHERE NOT delivered;

-- Attempts that did not end their delivery; the one that did is told by the delivery itself.
CREATE TABLE webhook_attempt (
  organization_id uuid NOT NULL,
  endpoint_number integer NOT NULL,
  subject_id uuid NOT NULL,
  sequence smallint NOT NULL,
  at timestamptz NOT NULL,
  http_status smallint,
  failure text,
  latency_ms integer,
  answer text
) PARTITION BY RANGE (at);
-- the attempts of a delivery
CREATE INDEX webhook_attempt_by_event ON webhook_attempt (organization_id, endpoint_number, subject_id, sequence, at);
