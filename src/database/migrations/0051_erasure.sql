-- Erasures of people's data: jobs while they run, receipts afterwards.
CREATE TABLE erasure (
  organization_id uuid NOT NULL REFERENCES organization,
  id uuid NOT NULL,
  -- 'waiting' for sends of the person to end, then the data that is being erased, and 'done'
  phase text NOT NULL CHECK (phase IN ('waiting', 'messages', 'traces', 'events', 'payloads', 'done')),
  -- Names and keys of the person; empty once everything is erased.
  names text[] NOT NULL,
  contacts bigint[] NOT NULL,
  person_keys bigint[] NOT NULL,
  -- Time up to which the phase has read; null at its beginning.
  read_until timestamptz,
  read_id bigint,
  messages bigint NOT NULL DEFAULT 0,
  events bigint NOT NULL DEFAULT 0,
  payloads bigint NOT NULL DEFAULT 0,
  requested_at timestamptz NOT NULL,
  finished_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
-- Finds the jobs that are to be continued.
CREATE INDEX erasure_open ON erasure (requested_at) WHERE finished_at IS NULL;
