-- The upstream's own word in its answer to a send, such as `held_for_quality_assessment`, until it tells a status of the message.
ALTER TABLE message ADD COLUMN upstream_status text;
-- The same word as the event of the answer tells it.
ALTER TABLE event ADD COLUMN upstream_status text;
