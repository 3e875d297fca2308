-- what has outlived its time is looked for every few seconds, however much waits in however many flows
CREATE INDEX send_queue_by_expiry ON send_queue (expires_at);
