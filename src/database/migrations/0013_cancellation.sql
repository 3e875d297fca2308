-- Messages whose sender wants them no more: whoever works their number ends them.
ALTER TABLE send_queue ADD COLUMN cancelled_at timestamptz;
-- By time, which no other index begins with: one by number would be like all the others to a plan made while the queue was empty.
CREATE INDEX send_queue_cancelled ON send_queue (cancelled_at) WHERE cancelled_at IS NOT NULL;
