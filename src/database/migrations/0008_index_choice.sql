-- Plans are made once per connection, often while a table or a day's partition is empty, and kept until statistics are gathered.
-- To the planner all indexes of an empty table that begin with the same columns are alike: it would look a row up through an index
-- that finds it among all of its organization's. A condition that always holds keeps an index to the statements that name its
-- column.
DROP INDEX message_by_contact;
CREATE INDEX message_by_contact ON message (organization_id, contact, id) WHERE contact IS NOT NULL;

DROP INDEX event_by_organization;
CREATE INDEX event_by_organization ON event (organization_id, xid) WHERE xid IS NOT NULL;

DROP INDEX webhook_queue_by_event;
CREATE UNIQUE INDEX webhook_queue_by_event ON webhook_queue (organization_id, endpoint_number, subject_id, sequence)
  WHERE subject_id IS NOT NULL;
