-- Where the platform sends a number's webhooks if that is not here: `{"level", "url"}`. Null if they come here, or as long as nobody knows.
ALTER TABLE sending_number ADD COLUMN webhook_override jsonb;
-- Whether the app was subscribed to the account's webhooks when that was last read. Null as long as nobody knows.
ALTER TABLE waba ADD COLUMN webhooks_subscribed boolean;
