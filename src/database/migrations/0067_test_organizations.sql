-- True for an organization whose accounts are those of the built-in simulator; never changes.
ALTER TABLE organization ADD COLUMN test boolean NOT NULL DEFAULT false;
ALTER TABLE organization ADD CONSTRAINT organization_id_test_key UNIQUE (id, test);

-- True for an account of the built-in simulator that serves test organizations, and only then.
ALTER TABLE waba ADD COLUMN test boolean NOT NULL DEFAULT false;
ALTER TABLE waba ADD CONSTRAINT waba_test_organization_fkey FOREIGN KEY (organization_id, test) REFERENCES organization (id, test);
ALTER TABLE waba ADD CONSTRAINT waba_test_platform_check CHECK (test = (platform IS NOT DISTINCT FROM 'test simulator'));
ALTER TABLE waba ADD CONSTRAINT waba_test_id_check CHECK (NOT test OR waba_id ~ '^0[0-9]{17}$');
