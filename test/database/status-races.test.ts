import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { pino } from 'pino';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { Queryable } from '../../src/database/database.ts';
import { DAY_MS } from '../../src/database/days/partitions.ts';
import { recordCompletions } from '../../src/dispatch/outcomes/result-queries.ts';
import { findSettlingStatuses } from '../../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { EarlyStatuses, type StatusUpdate } from '../../src/messages/index.ts';
import { applyEarlyStatuses, recordStatuses } from '../../src/messages/statuses/record-statuses.ts';
import { pullAll } from '../harness/events.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { untilWaiting } from '../harness/lock-waits.ts';
import { admin, freshRecipient, pause, readMessage, sendTemplate } from '../harness/tenant.ts';
import { freshWamid } from '../harness/upstream-webhook.ts';

describe('statuses that race their send', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  before(async () => {
    const { db } = gateway.app;
    await preparePartitions({ db, clock: { ...systemClock, now: () => Date.now() - DAY_MS } });
    // The tests act as the dispatcher themselves.
    await pause(gateway, tenant);
  });

  function told(status: StatusUpdate['status'], wamid: string): StatusUpdate {
    return {
      wamid,
      phoneNumberId: tenant.phoneNumberId,
      contact: undefined,
      status,
      atMs: Date.now(),
      errorCode: undefined,
      errorMessage: undefined,
      category: undefined,
      pricingType: undefined,
      callbackData: undefined,
      value: undefined,
    };
  }

  /** Records a send; returns the digests of wamids whose statuses came first. */
  async function recordSent(messageId: string, wamid: string): Promise<string[]> {
    const { db } = gateway.app;
    const [queued] = await db.query<{ number_id: number; flow_id: number; seq: number }>({
      text: 'SELECT number_id, flow_id, seq FROM send_queue WHERE message_id = $1',
      values: [messageId],
    });
    assert.ok(queued);
    const { number_id: numberId, flow_id: flowId, seq } = queued;
    const result = { kind: 'sent' as const, wamid };
    const completion = {
      organizationId: tenant.organizationId,
      messageId,
      numberId,
      flowId,
      seq,
      atMs: Date.now(),
      result,
    };
    return await recordCompletions(db, newId(), [completion], [], Date.now());
  }

  async function statusesTold(messageId: string): Promise<string[]> {
    const events = (await pullAll(gateway, tenant)).filter((event) => event.data.id === messageId);
    return events.map((event) => event.data.status);
  }

  const earlyStatuses = () =>
    new EarlyStatuses({ db: gateway.app.db, clock: systemClock, log: pino({ level: 'silent' }) });
  const park = (wamid: string, receivedAtMs: number) =>
    gateway.app.db.transaction((tx) =>
      recordStatuses(tx, [told('delivered', wamid)], () => [tenant.organizationId], receivedAtMs),
    );

  /** Runs `between` after the first statement of a transaction and before its second. */
  function interrupted(tx: Queryable, between: () => Promise<unknown>): Queryable {
    let statements = 0;
    return {
      async query(statement) {
        statements += 1;
        if (statements === 2) await between();
        return await tx.query(statement);
      },
    };
  }

  it('applied when their send is recorded, however long they have waited', async () => {
    const messageId = await sendTemplate(gateway, tenant, freshRecipient());
    const wamid = freshWamid();
    await park(wamid, Date.now() - 3_600_000);
    await applyEarlyStatuses(gateway.app.db, await recordSent(messageId, wamid), Date.now());
    assert.equal((await readMessage(gateway, tenant, messageId)).status, 'delivered');
  });

  it('found among thousands of messages sent elsewhere', async () => {
    const messageId = await sendTemplate(gateway, tenant, freshRecipient());
    const wamid = freshWamid();
    await gateway.app.db.query({
      text: `
        INSERT INTO early_status (wamid_digest, wamid, phone_number_id, sent_at, received_at)
        SELECT gen_random_uuid(), 'elsewhere.' || n, 'elsewhere', now(), now() - interval '3 days' - n / 3 * interval '1 s'
        FROM generate_series(1, 11000) n`,
    });
    await park(wamid, Date.now() - DAY_MS);
    await recordSent(messageId, wamid);
    await earlyStatuses().apply();
    assert.equal((await readMessage(gateway, tenant, messageId)).status, 'delivered');
  });

  it('kept if the send is recorded between the look-up and the parking of the status', async () => {
    const messageId = await sendTemplate(gateway, tenant, freshRecipient());
    const wamid = freshWamid();
    await gateway.app.db.transaction(async (tx) => {
      const racing = interrupted(tx, () => recordSent(messageId, wamid));
      await recordStatuses(racing, [told('delivered', wamid)], () => [tenant.organizationId], Date.now());
    });
    await earlyStatuses().apply();
    assert.equal((await readMessage(gateway, tenant, messageId)).status, 'delivered');
    assert.deepEqual(await statusesTold(messageId), ['queued', 'sent', 'delivered']);
  });

  it('applied if more arrive while their send is recorded, however old the first is', async () => {
    const { db } = gateway.app;
    const messageId = await sendTemplate(gateway, tenant, freshRecipient());
    const wamid = freshWamid();
    await park(wamid, Date.now() - 3_600_000);
    const early = earlyStatuses();
    await early.apply();
    await db.transaction(async (tx) => {
      await recordStatuses(tx, [told('delivered', wamid)], () => [tenant.organizationId], Date.now());
      await applyEarlyStatuses(db, await recordSent(messageId, wamid), Date.now());
    });
    await early.apply();
    assert.equal((await readMessage(gateway, tenant, messageId)).status, 'delivered');
  });

  it('applied later if that fails while their send is recorded', async () => {
    const { db } = gateway.app;
    const messageId = await sendTemplate(gateway, tenant, freshRecipient());
    const wamid = freshWamid();
    await park(wamid, Date.now() - 3_600_000);
    let isAway = false;
    const query: Queryable['query'] = (statement) => (isAway ? Promise.reject(new Error('away')) : db.query(statement));
    const early = new EarlyStatuses({ db: { ...db, query }, clock: systemClock, log: pino({ level: 'silent' }) });
    await early.apply();
    const digests = await recordSent(messageId, wamid);
    isAway = true;
    early.applySoon(digests);
    await new Promise(setImmediate);
    isAway = false;
    await early.apply();
    assert.equal((await readMessage(gateway, tenant, messageId)).status, 'delivered');
  });

  it('applied while more of the same arrive and are applied after: neither waits', async () => {
    const { db } = gateway.app;
    const earlierId = await sendTemplate(gateway, tenant, freshRecipient());
    const earlier = freshWamid();
    await recordSent(earlierId, earlier);
    const messageId = await sendTemplate(gateway, tenant, freshRecipient());
    const wamid = freshWamid();
    await park(wamid, Date.now() - 3_600_000);
    let applying: Promise<void> | undefined;
    await db.transaction(async (tx) => {
      const racing = interrupted(tx, async () => {
        applying = applyEarlyStatuses(db, await recordSent(messageId, wamid), Date.now());
        await untilWaiting(db);
      });
      const updates = [told('delivered', earlier), told('read', wamid)];
      await recordStatuses(racing, updates, () => [tenant.organizationId], Date.now());
    });
    await applying;
    await earlyStatuses().apply();
    assert.equal((await readMessage(gateway, tenant, earlierId)).status, 'delivered');
    assert.deepEqual(await statusesTold(messageId), ['queued', 'sent', 'delivered', 'read']);
    const left = await db.query({ text: 'SELECT FROM early_status WHERE wamid = $1', values: [wamid] });
    assert.equal(left.length, 0);
  });

  it('counted once, however many nodes apply them at the same time', async () => {
    const { db } = gateway.app;
    const deliveredCount = async () => {
      const usage = await admin<{ delivered: number }>(gateway, 'GET', `/organizations/${tenant.organizationId}/usage`);
      return usage.delivered;
    };
    const before = await deliveredCount();
    const messageId = await sendTemplate(gateway, tenant, freshRecipient());
    const wamid = freshWamid();
    await park(wamid, Date.now() - 3_600_000);
    const early = await recordSent(messageId, wamid);
    await Promise.all(Array.from({ length: 5 }, () => applyEarlyStatuses(db, early, Date.now())));
    assert.equal((await deliveredCount()) - before, 1);
    assert.deepEqual(await statusesTold(messageId), ['queued', 'sent', 'delivered']);
  });

  it('merged as if they had been reported at once', async () => {
    const { db } = gateway.app;
    const [sentId, failedId] = [
      await sendTemplate(gateway, tenant, freshRecipient()),
      await sendTemplate(gateway, tenant, freshRecipient()),
    ];
    const [sent, failed] = [freshWamid(), freshWamid()];
    const atMs = Date.now() - 60_000;
    const refusal = { errorCode: '131026', errorMessage: 'Message undeliverable' };
    for (const updates of [
      [{ ...told('sent', sent), atMs: atMs + 1, category: 'service', pricingType: 'regular' }, told('sent', failed)],
      [
        { ...told('sent', sent), atMs, category: 'utility', pricingType: 'free_entry_point' },
        { ...told('failed', failed), ...refusal, value: '{"n":2}' },
      ],
    ]) {
      await db.transaction((tx) => recordStatuses(tx, updates, () => [tenant.organizationId], Date.now()));
    }
    const digests = [...(await recordSent(sentId, sent)), ...(await recordSent(failedId, failed))];
    await applyEarlyStatuses(db, digests, Date.now());
    assert.partialDeepStrictEqual(await readMessage(gateway, tenant, sentId), {
      sent_at: new Date(atMs).toISOString(),
      conversation_category: 'utility',
      pricing_type: 'free_entry_point',
    });
    assert.partialDeepStrictEqual(await readMessage(gateway, tenant, failedId), {
      status: 'failed',
      error_code: refusal.errorCode,
      error_message: refusal.errorMessage,
    });
    const asTold = await db.query({
      text: 'SELECT upstream_value AS value FROM event WHERE subject_id = $1 AND upstream_field IS NOT NULL',
      values: [failedId],
    });
    assert.deepEqual(asTold, [{ value: '{"n":2}' }]);
  });

  it('settle an unknown outcome with data that the first of them lacked', async () => {
    const { db } = gateway.app;
    const to = freshRecipient();
    const callback = { biz_opaque_callback_data: 'order 7' };
    const messageId = await sendTemplate(gateway, tenant, to, 'spring_sale', callback);
    const wamid = freshWamid();
    const parts = { contact: to.slice(1), callbackData: callback.biz_opaque_callback_data };
    const [first, second] = [told('sent', wamid), { ...told('delivered', wamid), ...parts }];
    for (const update of [first, second]) {
      await db.transaction((tx) => recordStatuses(tx, [update], () => [tenant.organizationId], Date.now()));
    }
    const { organizationId, phoneNumberId } = tenant;
    const place = { seq: 1, numberId: 1, phoneNumberId, contact: parts.contact };
    const question = { organizationId, messageId, ...place, sinceMs: 0 };
    assert.deepEqual(await findSettlingStatuses(db, [question]), [{ seq: 1, wamid, at: new Date(first.atMs) }]);
  });

  it('do not settle an unknown outcome if they belong to another recorded message', async () => {
    const { db } = gateway.app;
    const to = freshRecipient();
    const [sent, unknown] = [await sendTemplate(gateway, tenant, to), await sendTemplate(gateway, tenant, to)];
    const wamid = freshWamid();
    const update = { ...told('delivered', wamid), contact: to.slice(1) };
    await db.transaction((tx) => recordStatuses(tx, [update], () => [tenant.organizationId], Date.now()));
    await recordSent(sent, wamid);
    const { organizationId, phoneNumberId } = tenant;
    const place = { seq: 1, numberId: 1, phoneNumberId, contact: update.contact };
    const question = { organizationId, messageId: unknown, ...place, sinceMs: 0 };
    assert.deepEqual(await findSettlingStatuses(db, [question]), []);
  });
});
