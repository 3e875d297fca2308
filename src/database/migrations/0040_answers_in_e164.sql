-- Notation of people's numbers in the answers to sends: digits only, or with `+` as in endpoints' `phone_numbers`.
ALTER TABLE organization ADD COLUMN phone_numbers text NOT NULL DEFAULT 'upstream' CHECK (phone_numbers IN ('upstream', 'e164'));
-- True if the `to` of a send may lack its `+`.
ALTER TABLE organization ADD COLUMN to_without_plus boolean NOT NULL DEFAULT false;
-- The person's contact object (name, user id) as the platform last reported it with a message: JSON text.
ALTER TABLE conversation ADD COLUMN contact_card text;
