-- Tenants ------------------------------------------------------------------------------------------------------------

CREATE TABLE organization (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  -- Share of the gateway among organizations that all have work waiting.
  weight real NOT NULL DEFAULT 1 CHECK (weight > 0),
  -- What ends an unknown outcome nobody could settle: one resend, or a failure.
  unknown_outcome_policy text NOT NULL DEFAULT 'resend' CHECK (unknown_outcome_policy IN ('resend', 'fail')),
  -- Seconds after acceptance at which a message still undispatched fails as EXPIRED.
  message_ttl_seconds integer NOT NULL DEFAULT 86400 CHECK (message_ttl_seconds > 0),
  created_at timestamptz NOT NULL
);

CREATE TABLE api_key (
  organization_id uuid NOT NULL REFERENCES organization,
  id uuid NOT NULL UNIQUE,
  -- Small stand-in for the id in flow ids (flow = API key x traffic class).
  key_number integer GENERATED ALWAYS AS IDENTITY (MAXVALUE 500000000),
  name text,
  key_hash bytea NOT NULL UNIQUE,
  -- First characters of the key, for a person to recognise it by.
  hint text NOT NULL,
  created_at timestamptz NOT NULL,
  disabled_at timestamptz,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE plan (
  organization_id uuid PRIMARY KEY REFERENCES organization,
  name text NOT NULL,
  active boolean NOT NULL,
  -- null = unlimited, everywhere in this table
  monthly_message_limit bigint CHECK (monthly_message_limit >= 0),
  message_types text[],
  template_categories text[],
  monthly_budget_micros bigint CHECK (monthly_budget_micros >= 0),
  -- Price of one message by category, in millionths of the budget's currency unit.
  price_micros jsonb NOT NULL DEFAULT '{}',
  updated_at timestamptz NOT NULL
);

-- The ledger: one row per organization, billing month (UTC) and metric ('accepted', 'sent', 'category:utility', 'spent_micros' …).
-- Updated by whole batches; the spare room keeps those updates off the indexes.
CREATE TABLE usage_counter (
  organization_id uuid NOT NULL,
  month date NOT NULL,
  metric text NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (organization_id, month, metric)
) WITH (fillfactor = 50);

-- Accounts -----------------------------------------------------------------------------------------------------------

CREATE TABLE waba (
  organization_id uuid NOT NULL REFERENCES organization,
  waba_id text NOT NULL UNIQUE,
  token_sealed bytea NOT NULL,
  -- Rises with every new token, so that a failure of the old one cannot park the new one.
  token_version integer NOT NULL DEFAULT 1,
  -- Set while a credential or account problem makes all its numbers wait.
  parked_code text,
  parked_reason text,
  parked_at timestamptz,
  connected_at timestamptz NOT NULL,
  synced_at timestamptz,
  PRIMARY KEY (organization_id, waba_id)
);

CREATE TABLE sending_number (
  organization_id uuid NOT NULL,
  phone_number_id text NOT NULL UNIQUE,
  account_id uuid NOT NULL UNIQUE,
  -- Small stand-in for the id in the queue.
  number_id integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  waba_id text NOT NULL,
  -- display_phone_number reduced to digits
  phone_number text NOT NULL,
  verified_name text,
  status text,
  platform_type text,
  registered boolean NOT NULL,
  quality_rating text,
  throughput_level text,
  is_on_biz_app boolean NOT NULL DEFAULT false,
  messaging_limit text,
  -- The operator's own pace; null follows the upstream's throughput level.
  messages_per_second real CHECK (messages_per_second > 0),
  paused boolean NOT NULL DEFAULT false,
  parked_code text,
  parked_reason text,
  parked_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, phone_number_id),
  FOREIGN KEY (organization_id, waba_id) REFERENCES waba
);
-- listing a WABA's numbers; finding a number by its digits for media uploads
CREATE INDEX sending_number_by_waba ON sending_number (organization_id, waba_id);
CREATE INDEX sending_number_by_digits ON sending_number (organization_id, phone_number);

CREATE TABLE template (
  organization_id uuid NOT NULL,
  -- the upstream's template id, digits
  id text NOT NULL,
  waba_id text NOT NULL,
  name text NOT NULL,
  language text NOT NULL,
  category text NOT NULL,
  status text NOT NULL,
  parameter_format text,
  -- JSON as text, in the spelling it was sent or read
  components text NOT NULL,
  -- JSON object as text: every other field the create body or the upstream's node carried
  other_fields text NOT NULL DEFAULT '{}',
  quality_score text,
  rejected_reason text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, waba_id) REFERENCES waba
);
-- acceptance looks a template up by name; a deleted name may come back under a new id
CREATE UNIQUE INDEX template_by_name ON template (organization_id, waba_id, name, language) WHERE status <> 'DELETED';

-- The 24-hour window's truth: newest inbound message per number and person.
CREATE TABLE conversation (
  organization_id uuid NOT NULL,
  number_id integer NOT NULL,
  -- conversation key: wa_id digits in canonical form (national variants of one number are one person)
  contact bigint NOT NULL,
  last_inbound_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, number_id, contact)
) WITH (fillfactor = 80);

-- Messages -----------------------------------------------------------------------------------------------------------

-- Ids are UUIDv7, so ranges of ids are ranges of time: partitions by day, made ahead and dropped when history expires.
-- No index on status or timestamps: updates stay heap-only.
CREATE TABLE message (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  number_id integer NOT NULL,
  -- 0 outbound, 1 inbound
  direction smallint NOT NULL,
  -- the person's number, digits; null when the upstream knows the person by user id alone
  contact bigint,
  type text NOT NULL,
  template_name text,
  template_language text,
  category text,
  pricing_type text,
  price_micros bigint NOT NULL DEFAULT 0,
  -- the exact text that goes to (or came from) the upstream
  body text NOT NULL,
  callback_data text,
  api_key_id uuid,
  -- 0 queued, 1 sent, 2 delivered, 3 read, 4 failed, 5 received (inbound)
  status smallint NOT NULL,
  wamid text,
  accepted_at timestamptz NOT NULL,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  error_code text,
  error_message text,
  -- what contradicts the status machine is kept here, as a JSON array
  history jsonb,
  PRIMARY KEY (organization_id, id)
) PARTITION BY RANGE (id);

-- Statuses name a wamid; a side table keyed by its digest keeps the message's own updates off an index.
CREATE TABLE wamid_ref (
  wamid_digest uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  message_id uuid NOT NULL
);

CREATE TABLE idempotency_key (
  organization_id uuid NOT NULL,
  number_id integer NOT NULL,
  key_digest uuid NOT NULL,
  fingerprint uuid NOT NULL,
  message_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, number_id, key_digest)
);
-- expiry sweeps by age; rows arrive in that order, so a block range index is enough
CREATE INDEX idempotency_key_by_age ON idempotency_key USING brin (created_at) WITH (autosummarize = on);

-- Statuses that came before the wamid they speak of was recorded, merged until it is.
CREATE TABLE early_status (
  wamid_digest uuid PRIMARY KEY,
  wamid text NOT NULL,
  phone_number_id text NOT NULL,
  contact bigint,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  error_code text,
  error_message text,
  category text,
  pricing_type text,
  callback_data text,
  received_at timestamptz NOT NULL
);
-- settling unknown outcomes: which statuses did this number and person get lately?
CREATE INDEX early_status_by_contact ON early_status (phone_number_id, contact);
-- the sweep for statuses that missed their send's own transaction looks at the newest
CREATE INDEX early_status_by_age ON early_status (received_at);

-- Dispatch -----------------------------------------------------------------------------------------------------------

-- Hot, narrow, without bodies. A waiting row is never updated: inserted, read through cursors, deleted by its full key.
CREATE TABLE send_queue (
  shard smallint NOT NULL,
  number_id integer NOT NULL,
  flow_id integer NOT NULL,
  contact bigint NOT NULL,
  -- cache 1 (the default): a larger one would break the order of one recipient's messages across connections
  seq bigint GENERATED ALWAYS AS IDENTITY,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  accepted_by uuid NOT NULL,
  message_id uuid NOT NULL,
  accepted_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  attempt smallint NOT NULL DEFAULT 0,
  -- unknown outcomes this message has had
  unknown_count smallint NOT NULL DEFAULT 0,
  due_at timestamptz,
  hold_until timestamptz,
  PRIMARY KEY (number_id, flow_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000);
-- the rest of one recipient's messages, in order
CREATE INDEX send_queue_by_contact ON send_queue (number_id, contact, seq);
-- messages whose outcome is unknown: they block their recipient wherever they stand
CREATE INDEX send_queue_held ON send_queue (shard) WHERE hold_until IS NOT NULL;
-- what other nodes accepted for shards this node owns
CREATE INDEX send_queue_by_arrival ON send_queue (shard, xid, seq);

CREATE TABLE shard_lease (
  shard smallint PRIMARY KEY,
  owner uuid NOT NULL,
  epoch bigint NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE node (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  dispatches boolean NOT NULL
);

-- What may be on its way to the upstream: written before the first byte leaves, removed when the result is recorded.
-- One row per batch and shard, so that a shard's new owner takes over its rows and no others.
CREATE TABLE dispatch_journal (
  shard smallint NOT NULL,
  owner uuid NOT NULL,
  batch integer NOT NULL,
  number_ids integer[] NOT NULL,
  flow_ids integer[] NOT NULL,
  seqs bigint[] NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (shard, owner, batch)
);

-- How far pairs (number, recipient) have drawn on their burst allowance, so that a new owner does not grant it twice.
CREATE TABLE pair_debt (
  number_id integer NOT NULL,
  contact bigint NOT NULL,
  -- theoretical arrival time of the pair's rate limit
  free_at timestamptz NOT NULL,
  PRIMARY KEY (number_id, contact)
) WITH (fillfactor = 70);

-- From the upstream --------------------------------------------------------------------------------------------------

-- Every signed payload as received, kept for a set time; partitions by day, dropped when expired.
CREATE TABLE upstream_journal (
  id bigint GENERATED ALWAYS AS IDENTITY,
  received_at timestamptz NOT NULL,
  payload bytea NOT NULL,
  -- true until everything it carries has been applied
  pending boolean NOT NULL,
  failure text,
  PRIMARY KEY (received_at, id)
) PARTITION BY RANGE (received_at);
CREATE INDEX upstream_journal_pending ON upstream_journal (received_at, id) WHERE pending;

-- Between nodes ------------------------------------------------------------------------------------------------------

-- Tells every node's caches what changed. Insert-only; read by transaction horizon, so that no commit order can hide a row.
CREATE TABLE change_feed (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  topic text NOT NULL,
  key text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX change_feed_by_xid ON change_feed (xid);
