import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Follower } from '../../src/accounts/index.ts';
import { newId, wamidDigest } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { Queryable } from '../../src/database/database.ts';
import { DAY_MS } from '../../src/database/days/partitions.ts';
import { recordCompletions } from '../../src/dispatch/outcomes/result-queries.ts';
import { journalDispatch } from '../../src/dispatch/sending/journal-queries.ts';
import { listEventsOfMessage, readEventsByRef } from '../../src/events/queries.ts';
import {
  type ApplyDeps,
  applyPayloads,
  type ResolvedPayloads,
} from '../../src/inbound-webhooks/apply/apply-payload.ts';
import { emptyPayload } from '../../src/inbound-webhooks/payload/upstream-payload.ts';
import { takeShards } from '../../src/leases/lease-queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import type { StatusUpdate } from '../../src/messages/index.ts';
import { findSettled } from '../../src/messages/queries.ts';
import { recordStatuses } from '../../src/messages/statuses/record-statuses.ts';
import { openTestDatabase } from '../harness/database.ts';
import { countWaiting } from '../harness/lock-waits.ts';
import { until } from '../harness/tenant.ts';

const NOW_MS = Date.now();
/** Today occurs twice, so that one day has more than one message; the oldest are searched in the whole table. */
const AGES_IN_DAYS = [0, 0, 1, 5, 20, 60];
const ORGANIZATIONS = [newId(), newId()];
const NODE = newId();
const SHARD = 3;
const FLOW_ID = 4;

interface Message {
  organizationId: string;
  numberId: number;
  messageId: string;
  seq: number;
  wamid: string;
  body: string;
}

const db = await openTestDatabase({ after });

describe('messages of many days at once', () => {
  let messages: Message[];
  before(async () => {
    for (const days of AGES_IN_DAYS) {
      await preparePartitions({ db, clock: { ...systemClock, now: () => NOW_MS - days * DAY_MS } });
    }
    const places = ORGANIZATIONS.flatMap((organizationId, index) =>
      AGES_IN_DAYS.map((days) => ({ organizationId, numberId: index + 1, days })),
    );
    messages = await Promise.all(
      places.map(({ organizationId, numberId, days }) =>
        queueMessage(organizationId, numberId, NOW_MS - days * DAY_MS),
      ),
    );
  });

  async function queueMessage(organizationId: string, numberId: number, atMs: number): Promise<Message> {
    const messageId = newId(atMs);
    const body = `{"made":${atMs}}`;
    await db.query({
      text: `INSERT INTO message (organization_id, id, number_id, direction, type, body, status, accepted_at)
             VALUES ($1, $2, $3, 0, 'text', $4, 0, $5)`,
      values: [organizationId, messageId, numberId, body, new Date(atMs)],
    });
    const [row] = await db.query<{ seq: number }>({
      text: `INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
             VALUES ($1, $2, $3, 15550001, $4, $5, $6, $6) RETURNING seq`,
      values: [SHARD, numberId, FLOW_ID, NODE, messageId, new Date(atMs)],
    });
    return { organizationId, numberId, messageId, seq: row?.seq ?? 0, wamid: `wamid.${messageId}`, body };
  }

  async function eventTypesOf({ organizationId, messageId }: Message): Promise<string[]> {
    return (await listEventsOfMessage(db, organizationId, messageId)).map(({ type }) => type);
  }

  async function countJournals(): Promise<number> {
    const [row] = await db.query<{ count: number }>({ text: 'SELECT count(*) FROM dispatch_journal' });
    return row?.count ?? 0;
  }

  async function countUsed(metric: string): Promise<number> {
    const [row] = await db.query<{ value: number }>({
      text: 'SELECT sum(value)::int AS value FROM usage_recent WHERE metric = $1',
      values: [metric],
    });
    return row?.value ?? 0;
  }

  function told(status: StatusUpdate['status'], wamid: string, numberId: number): StatusUpdate {
    const untold = { contact: undefined, errorCode: undefined, errorMessage: undefined, value: undefined };
    const unpriced = { category: undefined, pricingType: undefined, callbackData: undefined };
    return { wamid, phoneNumberId: String(numberId), status, atMs: NOW_MS, ...untold, ...unpriced };
  }

  const ownersOf = (phoneNumberId: string) => ORGANIZATIONS.slice(Number(phoneNumberId) - 1, Number(phoneNumberId));

  it('are journaled with their bodies', async () => {
    const [lease] = await takeShards(db, NODE, 'dispatch', [SHARD], false);
    assert.ok(lease);
    const facts = {
      shard: SHARD,
      flowId: FLOW_ID,
      contact: '15550001',
      needsBody: true,
      takesLarge: true,
      pairFreeAtMs: null,
    };
    const entries = messages.map((message) => ({ ...message, ...facts }));
    const batch = { owner: NODE, batch: 1, epochs: new Map([[SHARD, lease.epoch]]) };
    const journaled = await journalDispatch(db, batch, entries, NOW_MS, NOW_MS);
    assert.deepEqual(
      messages.map(({ messageId }) => journaled?.get(messageId)?.body),
      messages.map(({ body }) => body),
    );
    assert.equal(await countJournals(), 1);
  });

  it('results: recorded once however often repeated, and their journal is deleted', async () => {
    const completions = messages.map((message) => ({
      ...message,
      flowId: FLOW_ID,
      atMs: NOW_MS,
      result: { kind: 'sent' as const, wamid: message.wamid },
    }));
    const finished = [{ shard: SHARD, batch: 1 }];
    await recordCompletions(db, NODE, completions, finished, NOW_MS);
    await recordCompletions(db, NODE, completions, finished, NOW_MS);
    for (const message of messages) assert.deepEqual(await eventTypesOf(message), ['message.sent']);
    assert.equal(await countJournals(), 0);
    assert.deepEqual(await db.query({ text: 'SELECT seq FROM send_queue' }), []);
    const settled = await findSettled(db, messages, NOW_MS);
    assert.deepEqual(settled.map(({ wamid }) => wamid).sort(), messages.map(({ wamid }) => wamid).sort());
  });

  it('statuses of one set: unknown wamids wait, those of another organization change nothing', async () => {
    const stranger = messages.at(-1);
    assert.ok(stranger);
    const updates = [
      ...messages.slice(0, -1).map(({ wamid, numberId }) => told('delivered', wamid, numberId)),
      told('delivered', 'wamid.unknown', 1),
      told('delivered', stranger.wamid, 1),
    ];
    await db.transaction((tx) => recordStatuses(tx, updates, ownersOf, NOW_MS));
    for (const message of messages) {
      const isTold: boolean = message !== stranger;
      assert.deepEqual(await eventTypesOf(message), isTold ? ['message.sent', 'message.delivered'] : ['message.sent']);
    }
    const parked = await db.query<{ digest: string }>({ text: 'SELECT wamid_digest AS digest FROM early_status' });
    assert.deepEqual(
      parked.map(({ digest }) => digest).sort(),
      [wamidDigest('wamid.unknown'), wamidDigest(stranger.wamid)].sort(),
    );
    assert.equal(await countUsed('delivered'), messages.length - 1);
  });

  const nameless = (status: StatusUpdate) => ({
    ...status,
    person: { numbers: [], userIds: [], parentUserIds: [] },
  });

  function apply(tx: Queryable, statuses: StatusUpdate[], follow?: Follower['follow']): Promise<unknown> {
    const owners: ResolvedPayloads['owners'] = new Map(
      ORGANIZATIONS.map((organizationId, index) => [
        String(index + 1),
        [{ organizationId, untilMs: Number.POSITIVE_INFINITY }],
      ]),
    );
    const changes =
      follow === undefined ? [] : [{ id: newId(), wabaId: '1', field: 'account_update', value: {}, raw: '{}' }];
    const resolved = {
      payloads: [{ ...emptyPayload(), statuses: statuses.map(nameless), changes }],
      numbers: new Map(),
      people: new Map(),
      owners,
    };
    const deps = { followers: follow === undefined ? [] : [{ fields: [], follow }] };
    return applyPayloads(tx, deps as unknown as ApplyDeps, resolved as unknown as ResolvedPayloads, NOW_MS);
  }

  it('statuses are counted while a concurrent template change waits for its lock', async () => {
    await db.query({
      text: `
        WITH one AS (INSERT INTO organization (id, name, created_at) VALUES ($1, 'One', now()) RETURNING id)
        INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) SELECT id, '1', '', now() FROM one`,
      values: [ORGANIZATIONS[0]],
    });
    const [mine, another] = messages.filter(({ numberId }) => numberId === 1);
    assert.ok(mine && another);
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const priced = (message: Message) => ({ ...told('read', message.wamid, 1), category: 'authentication' });
    const waiting = db.transaction((tx) =>
      apply(tx, [priced(mine)], async () => {
        begun.resolve();
        await goOn.promise;
      }),
    );
    await begun.promise;
    let isDone = false;
    const other = db
      .transaction((tx) => apply(tx, [priced(another)]))
      .finally(() => {
        isDone = true;
      });
    const isFree = await until(
      'the other is done, or waits',
      async () => isDone || ((await countWaiting(db)) > 0 ? 'no' : undefined),
    );
    goOn.resolve();
    await Promise.all([waiting, other]);
    assert.equal(isFree, true);
    assert.equal(await countUsed('category:authentication'), 2);
  });

  const circles = [
    { category: 'service', what: 'an old one among them', ofFirst: 3, strangers: 0 },
    { category: 'marketing', what: 'more of them than go into one statement', ofFirst: 1, strangers: 5_000 },
  ];
  for (const { category, what, ofFirst, strangers } of circles) {
    it(`statuses of several organizations at once: no deadlock: ${what}`, async () => {
      const numbers = ORGANIZATIONS.map((id, index) => ({
        id,
        messages: messages.filter((each) => each.numberId === index + 1),
      }));
      const [first, second] = numbers.sort((a, b) => (a.id < b.id ? -1 : 1)).map((each) => each.messages);
      const paused = first?.[ofFirst];
      assert.ok(first?.[0] && paused && second?.[0] && second[1]);
      // In the same billing month as the others, on any day.
      await db.query({
        text: 'UPDATE message SET accepted_at = $1 WHERE id = $2',
        values: [new Date(NOW_MS), paused.messageId],
      });
      const priced = ({ wamid, numberId }: Message) => ({ ...told('read', wamid, numberId), category });
      const between = Array.from({ length: strangers }, (_, index) => told('read', `wamid.between.${index}`, 1));
      const begun = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const updates = [priced(second[0]), ...between, priced(paused)];
      const pausing = db.transaction((tx) => {
        let statements = 0;
        const query: Queryable['query'] = async (statement) => {
          statements += 1;
          if (statements === 2) {
            begun.resolve();
            await goOn.promise;
          }
          return await tx.query(statement);
        };
        return apply({ query }, updates);
      });
      await begun.promise;
      let isDone = false;
      const others = [priced(first[0]), priced(second[1])];
      const other = db
        .transaction((tx) => apply(tx, others))
        .finally(() => {
          isDone = true;
        });
      await until('the other is done, or waits', async () => isDone || (await countWaiting(db)) > 0 || undefined);
      goOn.resolve();
      await Promise.all([pausing, other]);
      assert.equal(await countUsed(`category:${category}`), 4);
    });
  }

  it("counted once in their new category, beyond one statement's worth of statuses", async () => {
    const priced = ({ wamid, numberId }: Message) => ({ ...told('read', wamid, numberId), category: 'utility' });
    const strangers = Array.from({ length: 12_000 }, (_, index) => told('read', `wamid.elsewhere.${index}`, 1));
    // The first are in the first set, the last in the last set.
    const updates = [...messages.slice(0, 4).map(priced), ...strangers, ...messages.slice(4).map(priced)];
    await db.transaction((tx) => recordStatuses(tx, updates, ownersOf, NOW_MS));
    assert.equal(await countUsed('category:utility'), messages.length);
    for (const left of ['service', 'marketing', 'authentication']) assert.equal(await countUsed(`category:${left}`), 0);
    const [parked] = await db.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM early_status WHERE wamid LIKE 'wamid.elsewhere.%'`,
    });
    assert.equal(parked?.count, strangers.length);
  });

  it('have events with all known data of each', async () => {
    const events = (
      await Promise.all(messages.map((each) => listEventsOfMessage(db, each.organizationId, each.messageId)))
    ).flat();
    const refs = events.map(({ organizationId, position }) => ({ organizationId, ...position }));
    const { events: read, isAll } = await readEventsByRef(db, refs, 1_000_000, NOW_MS);
    assert.equal(isAll, true);
    assert.deepEqual(read, events);
    assert.ok(read.every(({ message }) => message?.wamid === `wamid.${message?.messageId}`));
  });
});
