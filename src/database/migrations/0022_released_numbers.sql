-- A number is released when its WABA is disconnected, or another organization's has it. Its row stays for what is kept of its messages,
-- with its upstream ids moved aside: connected again it is another number, with nothing of this one's.
ALTER TABLE sending_number
  ADD COLUMN released_at timestamptz,
  ADD COLUMN former_phone_number_id text,
  ADD COLUMN former_waba_id text;
ALTER TABLE sending_number DROP CONSTRAINT sending_number_pkey;
ALTER TABLE sending_number ADD PRIMARY KEY (organization_id, number_id);
ALTER TABLE sending_number ALTER COLUMN phone_number_id DROP NOT NULL, ALTER COLUMN waba_id DROP NOT NULL;
-- whose messages were sent from a number before
CREATE INDEX sending_number_by_former_id ON sending_number (former_phone_number_id) WHERE former_phone_number_id IS NOT NULL;

-- No two tokens have the same version, or what was refused with the token of one connection would park the next.
CREATE SEQUENCE waba_token_version AS integer OWNED BY waba.token_version;
SELECT setval('waba_token_version', (SELECT coalesce(max(token_version), 0) + 1 FROM waba));
ALTER TABLE waba ALTER COLUMN token_version SET DEFAULT nextval('waba_token_version');
