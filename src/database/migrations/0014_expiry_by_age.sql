-- Rows that expired leave room for new ones, so blocks come to hold rows of every age, and a block range index leads to all of them:
-- each step of deleting what is next went through the whole table.
DROP INDEX idempotency_key_by_age;
CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at);
DROP INDEX upstream_digest_by_age;
CREATE INDEX upstream_digest_by_age ON upstream_digest (received_at);
