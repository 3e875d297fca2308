ALTER TABLE template
  -- The components stand in the spelling of whoever created or edited the template here, not in the upstream's.
  ADD COLUMN components_as_sent boolean NOT NULL DEFAULT false,
  -- Of the components as the upstream last reported them, sample URLs aside, which it signs anew each time; null until it has.
  -- Components as sent stay until this changes.
  ADD COLUMN components_fingerprint uuid,
  -- When the upstream says the last status it told by webhook came about: webhooks overtake each other.
  ADD COLUMN status_told_at timestamptz;

-- listing an organization's templates, newest first
CREATE INDEX template_by_age ON template (organization_id, created_at, id);

-- When the upstream is asked again about the templates of a WABA, by one node at a time and within a budget of calls.
CREATE TABLE template_poll (
  organization_id uuid NOT NULL,
  waba_id text NOT NULL,
  due_at timestamptz NOT NULL,
  -- Looks since something was last expected to change; the pauses between them grow with it.
  looks smallint NOT NULL DEFAULT 0,
  -- ids of templates to read at the next look: webhooks told of them something that has to be read
  wanted_ids text[] NOT NULL DEFAULT '{}',
  -- when the last complete reading began
  fully_read_at timestamptz NOT NULL,
  -- No look begins before: a node is at it, or the budget is used up.
  free_at timestamptz NOT NULL,
  -- theoretical arrival time of the budget of calls
  paid_until timestamptz NOT NULL,
  PRIMARY KEY (organization_id, waba_id),
  FOREIGN KEY (organization_id, waba_id) REFERENCES waba
);
-- claiming what is due
CREATE INDEX template_poll_due ON template_poll (due_at);

INSERT INTO template_poll (organization_id, waba_id, due_at, fully_read_at, free_at, paid_until)
SELECT organization_id, waba_id, coalesce(synced_at, connected_at), coalesce(synced_at, connected_at), connected_at, connected_at
FROM waba;
