-- People who want no marketing from a number. An ended opt-out stays, so that an older report of the platform does not bring it back.
CREATE TABLE opt_out (
  organization_id uuid NOT NULL REFERENCES organization,
  -- the platform's id, which stays when the number is connected again
  phone_number_id text NOT NULL,
  -- the person's key, as in queues and windows
  person bigint NOT NULL,
  -- changes when a person opts out again
  id uuid NOT NULL,
  -- digits as reported or given; null if only the user id is known
  phone_number text,
  user_id text,
  source text NOT NULL CHECK (source IN ('api', 'platform', 'keyword')),
  opted_out_at timestamptz NOT NULL,
  -- null while in force
  ended_at timestamptz,
  PRIMARY KEY (organization_id, phone_number_id, person)
);
CREATE UNIQUE INDEX opt_out_in_force ON opt_out (organization_id, id) WHERE ended_at IS NULL;

-- True since the first opt-out of the organization: sends of all others need no look at the list.
ALTER TABLE organization ADD COLUMN has_opt_outs boolean NOT NULL DEFAULT false;
-- Messages of a person that consist of one of these words opt the person out.
ALTER TABLE organization ADD COLUMN opt_out_words text[] NOT NULL DEFAULT '{}';
