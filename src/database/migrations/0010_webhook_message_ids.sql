-- By which id an endpoint in the upstream's format is told of its messages: the wamid, or the id the send was answered with.
ALTER TABLE webhook_endpoint ADD COLUMN message_ids text NOT NULL DEFAULT 'upstream';
