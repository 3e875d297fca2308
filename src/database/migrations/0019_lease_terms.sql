-- Until when what a node has leased is its own: one row to renew instead of one per shard, and none of those the journal's fence looks up.
-- Each renewal leaves a version behind, and while somebody keeps an old snapshot, each look-up would go through all of them.
-- A lease under a term never expires by itself; one with a time of its own is of a node that knows no terms, or was given back.
CREATE TABLE lease_term (
  owner uuid NOT NULL,
  work text NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (owner, work)
);
