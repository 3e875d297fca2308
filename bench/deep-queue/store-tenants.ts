import type pg from 'pg';
import type { Tenant } from './organizations.ts';

/** Stores the numbers and keys of each organization in the table `bench_tenant`, for the statements that fill the database. */
export async function storeTenants(client: pg.Client, tenants: readonly Tenant[]): Promise<void> {
  await client.query(
    `CREATE UNLOGGED TABLE bench_tenant AS
     SELECT (t.place - 1)::int AS place, t.organization_id, n.number_ids, k.key_ids, k.key_numbers
     FROM unnest($1::uuid[]) WITH ORDINALITY AS t (organization_id, place)
     CROSS JOIN LATERAL (
       SELECT array_agg(number_id ORDER BY number_id) AS number_ids FROM sending_number s WHERE s.organization_id = t.organization_id
     ) n
     CROSS JOIN LATERAL (
       SELECT array_agg(id ORDER BY id) AS key_ids, array_agg(key_number ORDER BY id) AS key_numbers
       FROM api_key a WHERE a.organization_id = t.organization_id
     ) k`,
    [tenants.map(({ organizationId }) => organizationId)],
  );
  await client.query('ALTER TABLE bench_tenant ADD PRIMARY KEY (place)');
}
