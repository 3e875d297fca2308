-- What has outlived its time was looked for among the oldest of every flow, every few seconds, also when nothing had.
CREATE INDEX send_queue_by_expiry ON send_queue (expires_at);
