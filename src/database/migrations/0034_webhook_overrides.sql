-- The override that sends a number's webhooks to another address than the gateway's: `{"level", "url"}`. Null if none was read.
ALTER TABLE sending_number ADD COLUMN webhook_override jsonb;
-- True if the app was subscribed to the account's webhooks at the last reading. Null if that was never read.
ALTER TABLE waba ADD COLUMN webhooks_subscribed boolean;
