-- When the attempt began whose outcome is unknown: only a status stamped after that can speak of it, whichever node asks.
ALTER TABLE send_queue ADD COLUMN attempted_at timestamptz;
