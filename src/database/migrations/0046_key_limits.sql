-- Limits of an API key; null does not limit. Scopes are named as in the route table, numbers by the platform's id.
ALTER TABLE api_key ADD COLUMN scopes text[];
ALTER TABLE api_key ADD COLUMN phone_number_ids text[];
ALTER TABLE api_key ADD COLUMN source_ranges text[];
ALTER TABLE api_key ADD COLUMN expires_at timestamptz;
-- The key before the last rotation works until then.
ALTER TABLE api_key ADD COLUMN previous_key_hash bytea UNIQUE;
ALTER TABLE api_key ADD COLUMN previous_until timestamptz;
-- Correct to the hour.
ALTER TABLE api_key ADD COLUMN last_used_at timestamptz;
