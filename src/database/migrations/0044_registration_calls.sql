-- Times of the last calls that registered or deregistered a number: the platform locks a number after ten within 72 hours.
ALTER TABLE sending_number ADD COLUMN registration_calls timestamptz[] NOT NULL DEFAULT '{}';
