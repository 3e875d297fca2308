-- The newest call that opened or refreshed the window. A call opened it last if this equals last_inbound_at. Null before the first call.
ALTER TABLE conversation ADD COLUMN last_call_at timestamptz;
-- The last_inbound_at of the window whose closing has an event. Null before the first event.
ALTER TABLE conversation ADD COLUMN closing_noted_for timestamptz;

-- The window of a group: the newest message of any member. It opens no member's own window.
CREATE TABLE group_window (
  organization_id uuid NOT NULL,
  number_id integer NOT NULL,
  group_id text NOT NULL,
  last_inbound_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, number_id, group_id)
) WITH (fillfactor = 80);
