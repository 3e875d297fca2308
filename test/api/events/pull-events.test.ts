import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { skipTransactionIds } from '../../../src/database/changes/transaction-ids.ts';
import type { Statement } from '../../../src/database/database.ts';
import { decodeCursor, type EventPosition, encodeCursor } from '../../../src/events/index.ts';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import {
  currentCursor,
  type ListedEvent,
  pullAll,
  pullPage,
  pullPages,
  untilEvents,
  untilSettled,
} from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { startFurtherNode } from '../../harness/gateway.ts';
import { call, createTenant, freshRecipient, sendTemplate, type Tenant, until } from '../../harness/tenant.ts';
import { inboundText, nowSeconds, postChange } from '../../harness/upstream-webhook.ts';

describe('pulling events', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const stranger = useTenant(gateway);

  function receive(who: Tenant, count = 1): Promise<void> {
    const at = nowSeconds();
    const messages = Array.from({ length: count }, () => inboundText(freshRecipient().slice(1), at));
    return postChange(gateway, who, { messages });
  }

  /** Moves an event into the transaction right after that of a position. */
  function writeAnew(event: ListedEvent, { xid }: EventPosition): Promise<unknown> {
    return gateway.app.db.query({
      text: 'UPDATE event SET xid = ($2::bigint + 1)::text::xid8 WHERE subject_id = $1',
      values: [event.data.id, xid],
    });
  }

  it('returns each event once in pages of any size', async () => {
    const start = await currentCursor(gateway, tenant);
    for (let round = 0; round < 4; round += 1) await receive(tenant, 7);
    const all = await pullAll(gateway, tenant, start, 500);
    assert.equal(all.length, 28);
    assert.equal(new Set(all.map((event) => event.id)).size, 28);
    for (const limit of [1, 3, 28]) assert.deepEqual(await pullAll(gateway, tenant, start, limit), all);
  });

  it('returns at most a few mebibytes at once, and each event whatever its length', async () => {
    const start = await currentCursor(gateway, tenant);
    const at = nowSeconds();
    const lengths = [3, 3, 1, 2, 1, 1].map((mebibytes) => mebibytes * 1_000_000);
    for (const length of lengths) {
      const message = { ...inboundText(freshRecipient().slice(1), at), text: { body: 'x'.repeat(length) } };
      await postChange(gateway, tenant, { messages: [message] });
    }
    await untilSettled(gateway.app.db);
    const sizes: number[] = [];
    const seen: number[] = [];
    for (let after = start; ; ) {
      const { data, next } = await pullPage(gateway, tenant, { after, limit: 500 });
      if (data.length === 0) break;
      sizes.push(data.length);
      seen.push(...data.map((event) => event.data.message.text.body.length));
      after = next;
    }
    assert.deepEqual(seen, lengths);
    assert.deepEqual(sizes, [1, 2, 3]);
  });

  it("works after the database's clock was days ahead for a while", async () => {
    const own = await createTenant(gateway);
    const start = await currentCursor(gateway, own);
    await receive(own);
    await untilSettled(gateway.app.db);
    await gateway.app.db.query({
      text: `UPDATE event SET at = at + interval '3 days' WHERE organization_id = $1`,
      values: [own.organizationId],
    });
    const { data, next } = await pullPage(gateway, own, { after: start });
    assert.equal(data.length, 1);
    await receive(own);
    await untilSettled(gateway.app.db);
    assert.equal((await pullPage(gateway, own, { after: next })).data.length, 1);
  });

  it('waits for the first event and answers as soon as it exists', async () => {
    const cursor = await currentCursor(gateway, tenant);
    const waiting = pullPage(gateway, tenant, { after: cursor, wait: 20 });
    await receive(tenant);
    const { data } = await waiting;
    assert.equal(data.length, 1);
    assert.equal(data[0].type, 'message.received');
  });

  it('holds no connection to the database while it waits', async () => {
    const cursor = await currentCursor(gateway, tenant);
    const waiting = Array.from({ length: 40 }, () => pullPage(gateway, tenant, { after: cursor, wait: 20 }));
    // The pool has 16 connections; with one held per wait, no other request would be answered.
    await sendTemplate(gateway, stranger, freshRecipient());
    await receive(tenant);
    for (const { data } of await Promise.all(waiting)) assert.equal(data.length, 1);
  });

  it('answers an empty page if nothing happens, with a cursor that misses nothing', async () => {
    const page = await pullPage(gateway, tenant, { after: await currentCursor(gateway, tenant), wait: 1 });
    assert.deepEqual(page.data, []);
    await receive(tenant);
    assert.equal((await pullPage(gateway, tenant, { after: page.next, wait: 20 })).data.length, 1);
  });

  it('continues from a cursor issued before the database was restored to an earlier time', async () => {
    const cursor = decodeCursor(await currentCursor(gateway, tenant));
    const after = encodeCursor({ ...cursor, xid: String(Number(cursor.xid) + 1_000_000) });
    await receive(tenant);
    const [newest] = (await pullAll(gateway, tenant)).slice(-1);
    assert.deepEqual((await pullPages(gateway, tenant, after)).at(-1), newest);
  });

  it('continues from `now` if a crash reuses transaction ids that left no trace', async () => {
    const { db } = gateway.app;
    const start = decodeCursor(await currentCursor(gateway, tenant));
    await skipTransactionIds(db, 10);
    const now = await currentCursor(gateway, tenant);
    await receive(tenant);
    const [newest] = (await pullAll(gateway, tenant)).slice(-1);
    // Not in its own transaction: in the first of those that the server has forgotten.
    await writeAnew(newest, start);
    assert.deepEqual(await pullPages(gateway, tenant, now), [newest]);
  });

  it('skips nothing from a cursor whose event a restore has lost, however late it is used', async () => {
    const start = decodeCursor(await currentCursor(gateway, tenant));
    await skipTransactionIds(gateway.app.db, 10);
    await receive(tenant);
    await untilSettled(gateway.app.db);
    const { data, next } = await pullPage(gateway, tenant, { after: encodeCursor(start) });
    await gateway.app.db.query({ text: 'DELETE FROM event WHERE subject_id = $1', values: [data[0].data.id] });
    await receive(tenant);
    const [newest] = (await pullAll(gateway, tenant)).slice(-1);
    await writeAnew(newest, start);
    assert.deepEqual((await pullPages(gateway, tenant, next)).at(-1), newest);
  });

  it("limits an organization's waits, and frees the place of a caller that has left", async () => {
    const cursor = await currentCursor(gateway, tenant);
    const leave = new AbortController();
    const headers = { authorization: `Bearer ${tenant.apiKey}` };
    const url = `${gateway.baseUrl}/v1/events?wait=30&after=${cursor}`;
    const waiting = Array.from({ length: 50 }, () =>
      fetch(url, { headers, signal: leave.signal }).catch(() => undefined),
    );
    const refused = await until('the organization waits too often', async () => {
      const answer = await call(gateway, tenant, 'GET', `/v1/events?wait=1&after=${cursor}`);
      return answer.status === 429 ? answer : undefined;
    });
    assertError(refused, 429, 'RATE_LIMITED');
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.equal((await call(gateway, stranger, 'GET', '/v1/events?wait=1&limit=1')).status, 200, 'others may wait');
    leave.abort();
    await Promise.all(waiting);
    await until('the places are free', async () => {
      const answer = await call(gateway, tenant, 'GET', `/v1/events?wait=1&after=${cursor}`);
      return answer.status === 200 ? answer : undefined;
    });
  });

  it('frees the place of a caller that left before its wait began', async (t) => {
    // A node without earlier waits: after a recent wait, the next begins without a look.
    const node = await startFurtherNode(gateway);
    const { db } = node.app;
    const { query } = db;
    const { promise: release, resolve } = Promise.withResolvers<void>();
    t.after(() => {
      db.query = query;
      return node.stop();
    });
    let asked = 0;
    db.query = async (statement: Statement) => {
      if (statement.name === 'event_horizon') {
        asked += 1;
        await release;
      }
      return query(statement);
    };
    const leave = new AbortController();
    const headers = { authorization: `Bearer ${tenant.apiKey}` };
    const url = `${node.baseUrl}/v1/events?wait=30&after=now`;
    const waiting = Array.from({ length: 50 }, () =>
      fetch(url, { headers, signal: leave.signal }).catch(() => undefined),
    );
    await until('they are being looked up', () => asked > 0 || undefined);
    const { http } = node.app;
    const connections = () => new Promise<number>((done) => http.server.getConnections((_error, count) => done(count)));
    await until('all are there', async () => (await connections()) === waiting.length || undefined);
    leave.abort();
    await Promise.all(waiting);
    await until('they are seen to have gone', async () => (await connections()) === 0 || undefined);
    resolve();
    db.query = query;
    const cursor = await currentCursor(node, tenant);
    const isFree = async () => (await call(node, tenant, 'GET', `/v1/events?wait=1&after=${cursor}`)).status === 200;
    const places = async () => (await Promise.all(Array.from({ length: 50 }, isFree))).every(Boolean) || undefined;
    await until('all places are free', places, 10_000);
  });

  it('filters by types and number, and continues after filtered events', async () => {
    const start = await currentCursor(gateway, tenant);
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    await untilEvents(gateway, tenant, id, 4);
    const query = { after: start, type: 'message.sent,message.read', number: tenant.phoneNumberId };
    const page = await pullPage(gateway, tenant, query);
    assert.deepEqual(
      page.data.map((event) => event.type),
      ['message.sent', 'message.read'],
    );
    assert.deepEqual((await pullPage(gateway, tenant, { ...query, after: page.next })).data, []);
    const first = await pullPage(gateway, tenant, { ...query, limit: 1 });
    const second = await pullPage(gateway, tenant, { ...query, limit: 1, after: first.next });
    assert.deepEqual([...first.data, ...second.data], page.data);
    assert.deepEqual((await pullPage(gateway, tenant, { after: start, type: 'account.updated' })).data, []);
  });

  it('does not wait if there are more events to examine', async () => {
    const own = await createTenant(gateway);
    const start = await currentCursor(gateway, own);
    await gateway.app.db.query({
      text: `INSERT INTO event (organization_id, subject_id, type, sequence, occurred_at, detail)
             SELECT $1, gen_random_uuid(), 11, 1, now(), '{}' FROM generate_series(1, 2000)`,
      values: [own.organizationId],
    });
    await receive(own);
    await untilSettled(gateway.app.db);
    const query = { type: 'message.received', wait: 20 };
    const { data, next } = await pullPage(gateway, own, { ...query, after: start });
    assert.deepEqual(data, []);
    assert.equal((await pullPage(gateway, own, { ...query, after: next })).data.length, 1);
  });

  it('shows an organization only its own events, and a foreign number like an unknown one', async () => {
    await receive(stranger, 3);
    await receive(tenant, 3);
    const own = await pullAll(gateway, tenant);
    assert.ok(own.length > 0);
    assert.ok(own.every((event) => event.data.phone_number_id === tenant.phoneNumberId));
    // A cursor is a position and contains no organization.
    const { next } = await pullPage(gateway, stranger, { limit: 1 });
    const carried = await pullAll(gateway, tenant, next);
    assert.ok(carried.every((event) => event.data.phone_number_id === tenant.phoneNumberId));
    const foreign = await call(gateway, tenant, 'GET', `/v1/events?number=${stranger.phoneNumberId}`);
    const absent = await call(gateway, tenant, 'GET', '/v1/events?number=899999999999999');
    assertError(foreign, 404, 'ACCOUNT_NOT_FOUND');
    assert.equal(textWithoutRequestId(foreign), textWithoutRequestId(absent));
  });

  it('refuses invalid parameters with 400 and no key with 401', async () => {
    const { next } = await pullPage(gateway, tenant, { limit: 1 });
    const mangled = next.slice(0, -2) + (next.endsWith('AA') ? 'BB' : 'AA');
    for (const query of [
      'after=rubbish',
      `after=${mangled}`,
      `after=${next}x`,
      'after=a&after=b',
      'limit=0',
      'limit=501',
      'limit=x',
      'wait=31',
      'wait=-1',
      'type=message.eaten',
      'number=abc',
      'number=%00',
    ]) {
      assertError(await call(gateway, tenant, 'GET', `/v1/events?${query}`), 400, 'VALIDATION_ERROR');
    }
    assertError(await call(gateway, undefined, 'GET', '/v1/events'), 401, 'UNAUTHORIZED');
  });

  it('never skips an event that is committed late', async () => {
    const client = new pg.Client({ connectionString: gateway.connectionString });
    await client.connect();
    try {
      const start = await currentCursor(gateway, tenant);
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO event (organization_id, subject_id, type, sequence, occurred_at, detail)
         VALUES ($1, gen_random_uuid(), 11, 1, now(), '{"field":"late"}')`,
        [tenant.organizationId],
      );
      await receive(tenant, 5);
      const early = await pullPage(gateway, tenant, { after: start });
      await client.query('COMMIT');
      const late = await pullAll(gateway, tenant, early.next);
      const all = [...early.data, ...late];
      assert.equal(all.length, 6);
      assert.equal(all.filter((event) => event.data.field === 'late').length, 1);
      assert.equal(new Set(all.map((event) => event.id)).size, 6);
    } finally {
      await client.end();
    }
  });

  it("orders one message's events by sequence while its statuses race each other", async () => {
    // A tenant without the large events of other tests: many concurrent readers of those are refused.
    const tenant = await createTenant(gateway);
    const recipients = Array.from({ length: 25 }, freshRecipient);
    const ids = await Promise.all(recipients.map((to) => sendTemplate(gateway, tenant, to)));
    await Promise.all(ids.map((id) => untilEvents(gateway, tenant, id, 4)));
    const last = new Map<string, number>();
    for (const event of await pullAll(gateway, tenant)) {
      if (!ids.includes(event.data.id)) continue;
      const before = last.get(event.data.id) ?? 0;
      assert.equal(event.data.sequence, before + 1, `event ${event.type} of ${event.data.id}`);
      last.set(event.data.id, event.data.sequence);
    }
    for (const id of ids) assert.equal(last.get(id), 4);
  });
});
