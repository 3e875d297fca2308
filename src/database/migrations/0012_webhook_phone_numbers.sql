-- How an endpoint in the upstream's format is told people's numbers: as the upstream writes them, digits alone, or with their plus.
ALTER TABLE webhook_endpoint ADD COLUMN phone_numbers text NOT NULL DEFAULT 'upstream';
