-- Sessions of the console. A session is another name of the token that opened it, and works only while that token does.
CREATE TABLE console_session (
  -- SHA-256 of the secret in the cookie
  session_hash bytea PRIMARY KEY,
  owner_kind text NOT NULL CHECK (owner_kind IN ('admin_token', 'operator', 'api_key')),
  -- SHA-256 of the operator's token or the API key. For ADMIN_TOKEN, which a person may have chosen: its HMAC under the session's secret,
  -- which cannot be tried out without that secret.
  token_hash bytea NOT NULL,
  opened_at timestamptz NOT NULL,
  -- Correct to the minute.
  used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX console_session_by_token ON console_session (token_hash, opened_at);
CREATE INDEX console_session_by_expiry ON console_session (expires_at);
