import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../harness/database.ts';

/**
 * Tables whose keys do not have the organization. Distributed by organization, as Citus does it, each would be a table of one server, or a copy
 * on all. A table leaves this list when its key gets the organization; none may be added.
 */
const WITHOUT_ORGANIZATION = [
  // Of nodes and of the whole installation.
  ...[
    'app',
    'change_feed',
    'console_session',
    'lease_term',
    'node',
    'node_report',
    'operator',
    'schema_migrations',
    'shard_lease',
    'traffic',
  ],
  'webhook_fan_out',
  // Kept by chain: that of an organization has its id, and one is of the whole installation.
  ...['audit_chain', 'audit_entry'],
  // Posted by the platform before the organization is known.
  ...['early_status', 'upstream_digest', 'upstream_journal', 'wamid_ref'],
  // Kept by number or shard, which belong to one organization.
  ...['dispatch_journal', 'pair_debt', 'send_queue'],
];

/** Unique indexes without the organization: unique over all organizations, which no shard can check alone. */
const UNIQUE_OVER_ALL = [
  'api_key_by_number',
  'api_key_id_key',
  'api_key_key_hash_key',
  'api_key_previous_key_hash_key',
  'sending_number_account_id_key',
  'sending_number_number_id_key',
  'sending_number_phone_number_id_key',
  'waba_waba_id_key',
  'webhook_endpoint_endpoint_number_key',
  'webhook_endpoint_id_key',
];

test('keys: the organization leads every primary key, but for the tables listed here', async (t) => {
  const db = await openTestDatabase(t);
  const rows = await db.query<{ name: string }>({
    text: `
      SELECT c.relname AS name FROM pg_class c
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
        AND NOT EXISTS (
          SELECT FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND (a.attname = 'organization_id' OR c.relname = 'organization' AND a.attname = 'id')
            AND (EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indkey[0] = a.attnum)
              OR NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary))
        )
      ORDER BY name`,
  });
  assert.deepEqual(
    rows.map(({ name }) => name),
    WITHOUT_ORGANIZATION.toSorted(),
  );
});

test('keys: unique within an organization, but for the indexes listed here', async (t) => {
  const db = await openTestDatabase(t);
  const rows = await db.query<{ name: string }>({
    text: `
      SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
      WHERE i.indisunique AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
        AND a.attnum <> ALL (i.indkey::int2[])
      ORDER BY name`,
  });
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !WITHOUT_ORGANIZATION.some((table) => name.startsWith(table))),
    UNIQUE_OVER_ALL,
  );
});

/** Foreign keys of tables of organizations to a table of which every server has a copy. */
const TO_COPIES = ['onboarding_app_id_fkey', 'setup_link_app_id_fkey', 'waba_app_id_fkey'];

test('keys: a foreign key between tables of organizations has the organization', async (t) => {
  const db = await openTestDatabase(t);
  const rows = await db.query<{ name: string }>({
    text: `
      SELECT k.conname AS name FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
      WHERE k.contype = 'f' AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace AND a.attnum <> ALL (k.conkey)
      ORDER BY name`,
  });
  assert.deepEqual(
    rows.map(({ name }) => name),
    TO_COPIES,
  );
});
