-- The way of an organization from an access token or a set-up link to a delivered message.
CREATE TABLE onboarding (
  organization_id uuid NOT NULL REFERENCES organization,
  id uuid NOT NULL,
  -- the set-up link that began it; null for one of an operator
  setup_link_id uuid,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'waiting', 'failed', 'done', 'ended')),
  -- one object a step, in order: name, state, time, what was found
  steps jsonb NOT NULL,
  -- sealed; null before the code is exchanged and once the connected account has the token
  token_sealed bytea,
  -- sealed; removed when it has been shown
  pin_sealed bytea,
  waba_id text,
  phone_number_id text,
  test_recipient text,
  template_name text NOT NULL,
  template_language text NOT NULL,
  replace_callback boolean NOT NULL DEFAULT false,
  -- the test message and the number of its attempt, which makes its idempotency key
  message_id uuid,
  attempt integer NOT NULL DEFAULT 1,
  -- raised by every claim and every change from outside: a claim of an earlier number writes nothing more
  epoch integer NOT NULL DEFAULT 0,
  -- time of the next look; null if it rests
  due_at timestamptz,
  claimed_until timestamptz,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX onboarding_by_id ON onboarding (id);
CREATE INDEX onboarding_due ON onboarding (due_at) WHERE due_at IS NOT NULL;

-- A link by which a person of the organization connects an account at the platform. Its secret is stored as a hash.
CREATE TABLE setup_link (
  organization_id uuid NOT NULL REFERENCES organization,
  id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  -- hash of the state of the sign-up in progress; removed when the dialog returns
  state_hash bytea,
  onboarding_id uuid,
  test_recipient text,
  template_name text NOT NULL,
  template_language text NOT NULL,
  PRIMARY KEY (organization_id, id)
);
