-- Use of the platform's `/marketing_messages` for marketing templates: `auto`, `on` or `off`. Each `…_changed_at` is the last change of a fact
-- that decides where a marketing template goes, by the clock of the database; null if there was none. An attempt of unknown outcome is
-- repeated only if none of them is newer.
ALTER TABLE organization ADD COLUMN marketing_messages text NOT NULL DEFAULT 'auto'
  CHECK (marketing_messages IN ('auto', 'on', 'off'));
ALTER TABLE organization ADD COLUMN marketing_changed_at timestamptz;

-- Null takes the organization's.
ALTER TABLE waba ADD COLUMN marketing_messages text CHECK (marketing_messages IN ('auto', 'on', 'off'));
-- The platform's `marketing_messages_onboarding_status`; null if it was never read.
ALTER TABLE waba ADD COLUMN marketing_onboarding text;
-- True once the platform has refused a marketing template at `/messages` (131063), until the next reading.
ALTER TABLE waba ADD COLUMN marketing_forbidden boolean NOT NULL DEFAULT false;
ALTER TABLE waba ADD COLUMN marketing_changed_at timestamptz;
-- Time of the last reading of the onboarding status; null if a reading is due.
ALTER TABLE waba ADD COLUMN marketing_read_at timestamptz;

-- A number that moves to another account obeys that one's settings.
ALTER TABLE sending_number ADD COLUMN waba_changed_at timestamptz;

-- True once the platform has refused the template at `/marketing_messages`, until its category changes or all templates are read.
ALTER TABLE template ADD COLUMN marketing_refused boolean NOT NULL DEFAULT false;
ALTER TABLE template ADD COLUMN marketing_changed_at timestamptz;
-- A new row may take the place of another template of that name.
ALTER TABLE template ALTER COLUMN marketing_changed_at SET DEFAULT clock_timestamp();
