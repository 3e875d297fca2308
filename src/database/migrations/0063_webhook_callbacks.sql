-- Addresses that clients registered as they would at the platform: for an app, a business account or a number.
CREATE TABLE webhook_callback (
  organization_id uuid NOT NULL REFERENCES organization,
  kind text NOT NULL CHECK (kind IN ('app', 'account', 'number')),
  -- of an app: any id that the client uses
  object_id text NOT NULL,
  -- null: a business account that was subscribed without an address of its own
  endpoint_id uuid,
  -- the platform's webhook fields that were asked for; null = those of an override
  fields text[],
  PRIMARY KEY (organization_id, kind, object_id)
);
CREATE INDEX webhook_callback_by_endpoint ON webhook_callback (organization_id, endpoint_id) WHERE endpoint_id IS NOT NULL;
