-- Objects of the platform whose owner their ids do not show: flows, groups, sign-ups and histories.
CREATE TABLE owned_object (
  organization_id uuid NOT NULL REFERENCES organization,
  object_id text NOT NULL,
  -- the kind's place in the gateway's list of kinds
  kind smallint NOT NULL,
  waba_id text NOT NULL,
  -- the number of a group or a history
  phone_number_id text,
  learned_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, object_id, kind)
);
-- Tells whether an id that an organization asks for is an object of another one.
CREATE INDEX owned_object_by_id ON owned_object (object_id);
CREATE INDEX owned_object_by_age ON owned_object (learned_at);
