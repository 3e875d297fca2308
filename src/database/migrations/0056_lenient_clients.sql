-- True if `contacts` of a send may be a text that holds the JSON array.
ALTER TABLE organization ADD COLUMN contacts_as_text boolean NOT NULL DEFAULT false;
-- True if keys are also accepted as `Authorization: OAuth` and as the parameter `access_token`.
ALTER TABLE organization ADD COLUMN cloud_api_credentials boolean NOT NULL DEFAULT false;
