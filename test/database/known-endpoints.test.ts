import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { systemClock } from '../../src/core/time/clock.ts';
import { publishChange } from '../../src/database/changes/change-feed.ts';
import type { Queryable, Statement } from '../../src/database/database.ts';
import { KnownEndpoints } from '../../src/outbound-webhooks/endpoints/known-endpoints.ts';
import { openTestDatabase } from '../harness/database.ts';

async function createEndpoint(db: Queryable, name: string): Promise<void> {
  await db.query({
    text: `
      WITH o AS (INSERT INTO organization (id, name, created_at) VALUES ($1, 'o', now()) RETURNING id)
      INSERT INTO webhook_endpoint (organization_id, id, url, format, signing, ordered, secret_sealed, created_at, updated_at)
      SELECT id, $2, 'https://example.com/' || $3, 'standard', 'hmac', false, '', now(), now() FROM o`,
    values: [randomUUID(), randomUUID(), name],
  });
}

async function changeEndpoint(db: Queryable, from: string, to: string): Promise<void> {
  await db.query({
    text: `
      UPDATE webhook_endpoint SET url = 'https://example.com/' || $2, updated_at = updated_at + interval '1 millisecond'
      WHERE url = 'https://example.com/' || $1`,
    values: [from, to],
  });
}

test('a look: reads only endpoints changed since the last one, and more only after a doubt', async (t) => {
  const db = await openTestDatabase(t);
  const readById: number[] = [];
  const watched: Queryable = {
    async query<Row>(statement: Statement) {
      const rows = await db.query<Row & Record<string, unknown>>(statement);
      if (statement.name === 'webhook_endpoint_list_by_id') readById.push(rows.length);
      return rows as Row[];
    },
  };
  const known = new KnownEndpoints(systemClock);
  const look = async () => {
    const endpoints = [...(await known.read(watched)).values()].flat();
    return endpoints.map(({ url }) => new URL(url).pathname.slice(1)).sort();
  };
  for (const name of ['a', 'b', 'c']) await createEndpoint(db, name);
  assert.deepEqual(await look(), ['a', 'b', 'c']);
  assert.deepEqual(readById.splice(0), [3]);

  const [{ id } = { id: '' }] = await db.query<{ id: string }>({
    text: "SELECT id FROM webhook_endpoint WHERE url = 'https://example.com/b'",
  });
  await changeEndpoint(db, 'b', 'b2');
  await publishChange(db, 'webhook', id);
  await changeEndpoint(db, 'c', 'c2');
  assert.deepEqual(await look(), ['a', 'b2', 'c']);
  assert.deepEqual(readById.splice(0), [1]);

  await createEndpoint(db, 'd');
  await db.query({ text: "UPDATE webhook_endpoint SET deleted_at = now() WHERE url = 'https://example.com/b2'" });
  known.doubt();
  assert.deepEqual(await look(), ['a', 'c2', 'd']);
  assert.deepEqual(readById.splice(0), [2]);
  assert.deepEqual(await look(), ['a', 'c2', 'd']);
  assert.deepEqual(readById, []);
});
