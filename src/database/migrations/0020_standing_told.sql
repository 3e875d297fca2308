-- The last moment of which the upstream told of a ban or its end, and of a review, by its own clock: it repeats for days what was not
-- taken at once, so that a ban can come after its end.
ALTER TABLE waba ADD COLUMN ban_told_at timestamptz, ADD COLUMN review_told_at timestamptz;
ALTER TABLE sending_number ADD COLUMN ban_told_at timestamptz;
