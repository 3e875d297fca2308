-- Sequence of the first event of a message that shows the user id; null if all do. An id that is learned later does not change earlier events.
ALTER TABLE message ADD COLUMN user_id_sequence smallint;
