-- The newest entry of each chain of the audit log. A chain belongs to an organization, or to the deployment itself: the id of zeros.
CREATE TABLE audit_chain (
  chain uuid PRIMARY KEY,
  last_sequence bigint NOT NULL,
  last_digest bytea NOT NULL
) WITH (fillfactor = 50);

-- Changes made through the API: one row before the change, one after it with its result. Rows are never updated.
CREATE TABLE audit_entry (
  chain uuid NOT NULL,
  -- 1, 2, 3 … per chain
  sequence bigint NOT NULL,
  id uuid NOT NULL,
  at timestamptz NOT NULL,
  -- 'change', 'result', or 'checkpoint': earlier rows were deleted because of their age
  kind text NOT NULL CHECK (kind IN ('change', 'result', 'checkpoint')),
  -- the sequence of the change that a result belongs to
  of_sequence bigint,
  -- All facts of the row: a JSON object as text, because the digest covers its bytes.
  facts text NOT NULL,
  -- SHA-256 of the previous row's digest and of this row's facts
  digest bytea NOT NULL,
  PRIMARY KEY (chain, sequence)
);
-- Lists the changes of all chains, newest first.
CREATE INDEX audit_entry_by_id ON audit_entry (id) WHERE kind = 'change';
-- Finds the result of a change.
CREATE INDEX audit_entry_by_change ON audit_entry (chain, of_sequence) WHERE of_sequence IS NOT NULL;
-- Finds the chains with entries past their age.
CREATE INDEX audit_entry_by_age ON audit_entry (at);
