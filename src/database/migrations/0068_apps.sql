-- Further Meta apps of the operator, beside the app of UPSTREAM_APP_ID.
CREATE TABLE app (
  app_id text PRIMARY KEY CHECK (app_id ~ '^[0-9]{1,20}$'),
  name text NOT NULL,
  -- The first secret proves calls; the platform may sign webhooks with either.
  secrets_sealed bytea[] NOT NULL CHECK (cardinality(secrets_sealed) BETWEEN 1 AND 2),
  verify_token_sealed bytea NOT NULL,
  -- True if the app requires a proof of its secret with every call.
  secret_proof boolean NOT NULL DEFAULT false,
  -- Configuration of Facebook Login for Business, for Embedded Signup.
  signup_configuration_id text,
  created_at timestamptz NOT NULL,
  -- Time of the last change of the secrets or the verify token.
  secrets_changed_at timestamptz NOT NULL
);

-- The app that the token belongs to; null stands for the app of UPSTREAM_APP_ID.
ALTER TABLE waba ADD COLUMN app_id text REFERENCES app;
