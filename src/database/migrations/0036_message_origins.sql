-- Where a message came about, if not through this gateway: 1 agent, 2 app, 3 history. Null also for messages of the version before.
ALTER TABLE message ADD COLUMN origin smallint;
-- The group that an inbound message was written in. Null outside of groups.
ALTER TABLE message ADD COLUMN group_id text;
