-- As of messages and events: a plan made while next to nothing waits looks a row up through any index that has a part of its key
-- somewhere, value after value of what stands before, or walks through one from end to end. What always holds keeps these to the
-- statements that name their column.
DROP INDEX send_queue_by_arrival;
CREATE INDEX send_queue_by_arrival ON send_queue (shard, xid, seq) WHERE xid IS NOT NULL;

DROP INDEX send_queue_by_contact;
CREATE INDEX send_queue_by_contact ON send_queue (number_id, contact, seq) WHERE contact IS NOT NULL;

DROP INDEX early_status_by_age;
CREATE INDEX early_status_by_age ON early_status (received_at, wamid_digest) WHERE received_at IS NOT NULL;
