-- True if the sender has chosen `/marketing_messages`; null for all other messages.
ALTER TABLE send_queue ADD COLUMN marketing boolean;
