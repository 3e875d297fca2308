-- Messages that a key may send in a minute; null does not limit.
ALTER TABLE api_key ADD COLUMN messages_per_minute int CHECK (messages_per_minute > 0);
