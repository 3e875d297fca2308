-- A table without a primary key needs another replica identity. Without one, PostgreSQL refuses updates and deletes of a published table.
ALTER TABLE change_feed REPLICA IDENTITY FULL;
ALTER TABLE webhook_attempt REPLICA IDENTITY FULL;
DO $$
DECLARE
  day regclass;
BEGIN
  FOR day IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'webhook_attempt'::regclass LOOP
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', day);
  END LOOP;
END $$;
