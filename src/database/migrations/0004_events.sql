-- Events -------------------------------------------------------------------------------------------------------------

-- What happened, one row per transition, written by the statement that made it happen. Narrow: what cannot change any more is
-- joined from the message when an event is shown, what can is copied here. Partitions by day, dropped when expired.
CREATE TABLE event (
  organization_id uuid NOT NULL,
  -- the message an event tells of, or the event's own id where it tells of something else
  subject_id uuid NOT NULL,
  -- when the row was written, by this server's clock
  at timestamptz NOT NULL DEFAULT now(),
  -- What readers go by. Never below the writing transaction's id, so that whatever lies below a snapshot's xmin is settled,
  -- and never below that of the message's event before, so that readers see one message's events in their order.
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  number_id integer,
  -- position in the list of event types
  type smallint NOT NULL,
  -- 1, 2, 3 … per subject, in commit order
  sequence smallint NOT NULL,
  -- when it happened, by the clock of whoever told of it
  occurred_at timestamptz NOT NULL,
  category text,
  pricing_type text,
  error_code text,
  error_message text,
  waba_id text,
  -- JSON object as text: what an event that tells of no message has to say
  detail text,
  -- where the upstream told it: the webhook field's name, and its value as received without what is the same for all values
  upstream_field text,
  upstream_value text,
  PRIMARY KEY (organization_id, subject_id, sequence, at)
) PARTITION BY RANGE (at);
-- delivery reads all organizations' events in order
CREATE INDEX event_by_xid ON event (xid, subject_id, sequence);
-- an organization reads its own; equal keys are stored once, which keeps this index small
CREATE INDEX event_by_organization ON event (organization_id, xid);

ALTER TABLE message
  -- how many events tell of it
  ADD COLUMN event_count smallint NOT NULL DEFAULT 1,
  -- which statuses events have told of, a bit each: 1 sent, 2 delivered, 4 read, 8 failed
  ADD COLUMN told smallint NOT NULL DEFAULT 0,
  -- `xid` of the newest of them
  ADD COLUMN event_xid xid8 NOT NULL DEFAULT pg_current_xact_id();

-- what the upstream told word by word, until the message it belongs to is known
ALTER TABLE early_status
  ADD COLUMN sent_value text,
  ADD COLUMN delivered_value text,
  ADD COLUMN read_value text,
  ADD COLUMN failed_value text;

-- Attempts to send that ended neither in a wamid nor in a rejection; the others are told by the message itself.
CREATE TABLE send_attempt (
  organization_id uuid NOT NULL,
  message_id uuid NOT NULL,
  at timestamptz NOT NULL,
  -- throttled, unavailable, unsent, blocked, unknown
  outcome text NOT NULL,
  error_code text,
  error_message text,
  -- earliest time of the next one, where known
  next_at timestamptz,
  PRIMARY KEY (organization_id, message_id, at)
) PARTITION BY RANGE (at);

-- From the upstream --------------------------------------------------------------------------------------------------

-- Payloads are read in the order of their commits, see `event.xid`.
ALTER TABLE upstream_journal ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX upstream_journal_by_xid ON upstream_journal (xid, id);

-- Recognises a payload that comes again, byte for byte, and a change that is told again in another one. Apart from the journal, whose days are partitions: uniqueness has to
-- hold across them.
CREATE TABLE upstream_digest (
  digest uuid PRIMARY KEY,
  received_at timestamptz NOT NULL
);
-- expiry sweeps by age; rows arrive in that order
CREATE INDEX upstream_digest_by_age ON upstream_digest USING brin (received_at) WITH (autosummarize = on);

-- Accounts -----------------------------------------------------------------------------------------------------------

-- end of a restriction the upstream has set a term to
ALTER TABLE waba ADD COLUMN parked_until timestamptz;
ALTER TABLE sending_number ADD COLUMN parked_until timestamptz;

-- Looking messages up ------------------------------------------------------------------------------------------------

-- One person's messages, and those with one callback data: rare among all others, so a scan by id would look at most of them in
-- vain. Both columns never change, so updates stay heap-only.
CREATE INDEX message_by_contact ON message (organization_id, contact, id);
CREATE INDEX message_by_callback_data ON message (organization_id, hashtextextended(callback_data, 0), id)
  WHERE callback_data IS NOT NULL;
