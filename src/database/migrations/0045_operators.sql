-- People and programs that may use the admin API, besides the holder of ADMIN_TOKEN.
CREATE TABLE operator (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('support', 'operator', 'admin')),
  -- SHA-256 of the token
  token_hash bytea NOT NULL UNIQUE,
  -- First characters of the token, for a person to recognise it by.
  hint text NOT NULL,
  -- The token before the last rotation works until then.
  previous_token_hash bytea UNIQUE,
  previous_until timestamptz,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Correct to the hour.
  last_used_at timestamptz
);
