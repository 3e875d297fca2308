-- Operators who sign in by the identity provider have no token. Their token_hash is a random handle, which their sessions name and which no
-- token has.
ALTER TABLE operator ADD COLUMN issuer text;
ALTER TABLE operator ADD COLUMN subject text;
-- As the provider stated it at the last sign-in.
ALTER TABLE operator ADD COLUMN email text;
ALTER TABLE operator ALTER COLUMN hint DROP NOT NULL;
ALTER TABLE operator ADD UNIQUE (issuer, subject);
ALTER TABLE operator ADD CHECK ((issuer IS NULL) = (subject IS NULL) AND (issuer IS NULL) = (hint IS NOT NULL));
