import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { pullAll } from '../../harness/events.ts';
import { useGateway } from '../../harness/fixtures.ts';
import { untilWaiting } from '../../harness/lock-waits.ts';
import {
  admin,
  call,
  createTenant,
  freshRecipient,
  pause,
  readMessage,
  resume,
  send,
  sendsTo,
  sendTemplate,
  type Tenant,
  templateTo,
  textTo,
  until,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';
import { NEW_ID_SQL } from '../../support/new-id-sql.ts';

const ABSENT = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';

describe('cancelling messages that wait', () => {
  const gateway = useGateway();

  const cancel = (tenant: Tenant | undefined, body: unknown) =>
    call(gateway, tenant, 'POST', '/v1/messages/cancel', { body });
  const cancelOne = (tenant: Tenant, id: string) => call(gateway, tenant, 'POST', `/v1/messages/${id}/cancel`);
  const untilCancelled = async (tenant: Tenant, id: string) => {
    const message = await untilStatus(gateway, tenant, id, 'failed');
    assert.equal(message.error_code, 'CANCELLED');
  };

  it('cancels messages that match all members of the body, and sends the rest', async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    const [to, other] = [freshRecipient(), freshRecipient()];
    const wrong = await sendTemplate(gateway, tenant, to, 'spring_sale', { biz_opaque_callback_data: 'blast 7' });
    const sameTemplate = await sendTemplate(gateway, tenant, to, 'spring_sale');
    const sameData = await sendTemplate(gateway, tenant, other, 'greeting', { biz_opaque_callback_data: 'blast 7' });
    const answer = await cancel(tenant, { template: 'spring_sale', biz_opaque_callback_data: 'blast 7' });
    assert.deepEqual([answer.status, answer.json], [202, { cancelled: 1, next: null }]);
    await untilCancelled(tenant, wrong);
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, sameTemplate, 'read');
    await untilStatus(gateway, tenant, sameData, 'read');
    assert.equal(sendsTo(gateway, to).length, 1, 'of the two to this person');
  });

  it('finds messages by each member alone', async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    const to = await writtenRecipient(gateway, tenant);
    const since = new Date(Date.now() - 1_000).toISOString();
    const bodies: [object, object][] = [
      [templateTo(freshRecipient()), { number: tenant.phoneNumberId }],
      [templateTo(to), { recipient: to }],
      [templateTo(to), { recipient: to.slice(1) }],
      [textTo(to), { type: 'text' }],
      [templateTo(freshRecipient(), 'greeting'), { template: 'greeting' }],
      [{ ...templateTo(freshRecipient()), biz_opaque_callback_data: 'ü "1"' }, { biz_opaque_callback_data: 'ü "1"' }],
      [templateTo(freshRecipient()), { from: since }],
      [templateTo(freshRecipient()), { to: new Date(Date.now() + 60_000).toISOString() }],
    ];
    for (const [body, filter] of bodies) {
      const id = (await send(gateway, tenant, body)).json.messages[0].id;
      for (const otherwise of [
        { template: 'order_update' },
        { recipient: '15550009999' },
        { to: since },
        { type: 'image' },
      ]) {
        assert.equal((await cancel(tenant, otherwise)).json.cancelled, 0, JSON.stringify(otherwise));
      }
      const answer = await cancel(tenant, filter);
      assert.deepEqual([answer.status, answer.json], [202, { cancelled: 1, next: null }], JSON.stringify(filter));
      await untilCancelled(tenant, id);
      assert.equal((await cancel(tenant, filter)).json.cancelled, 0, 'there is nothing left to cancel');
    }
  });

  it("leaves other organizations' messages alone, and does not reveal them", async () => {
    const [tenant, stranger] = [await createTenant(gateway), await createTenant(gateway)];
    await pause(gateway, tenant);
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    assert.equal((await cancel(stranger, { template: 'spring_sale' })).json.cancelled, 0);
    assertError(await cancel(stranger, { number: tenant.phoneNumberId }), 404, 'ACCOUNT_NOT_FOUND');
    const foreign = await cancelOne(stranger, id);
    assertError(foreign, 404, 'NOT_FOUND');
    assert.equal(textWithoutRequestId(foreign), textWithoutRequestId(await cancelOne(stranger, ABSENT)));
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, id, 'read');
  });

  it('cancels one by its id; a cancelled or sent one is 409', async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    const to = freshRecipient();
    const [id, next] = [await sendTemplate(gateway, tenant, to), await sendTemplate(gateway, tenant, to)];
    const answer = await cancelOne(tenant, id.toUpperCase());
    assert.deepEqual([answer.status, answer.json], [202, { cancelled: 1, next: null }]);
    await untilCancelled(tenant, id);
    assertError(await cancelOne(tenant, id), 409, 'CONFLICT');
    await resume(gateway, tenant);
    await untilStatus(gateway, tenant, next, 'read');
    assertError(await cancelOne(tenant, next), 409, 'CONFLICT');
    assert.equal(sendsTo(gateway, to).length, 1);
  });

  it('reports it like any other end: event, timeline, waiting callers, counters', async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    const to = freshRecipient();
    const waiting = send(gateway, tenant, templateTo(to), { query: '?sync=true' });
    await until('it waits', async () => {
      const { json } = await call(gateway, tenant, 'GET', `/v1/messages?recipient=${to.slice(1)}`);
      return json.data[0]?.id;
    });
    assert.equal((await cancel(tenant, { recipient: to })).json.cancelled, 1);
    const answer = await waiting;
    assertError(answer, 422, 'SEND_FAILED');
    const events = await pullAll(gateway, tenant);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.error_code]),
      [
        ['message.queued', undefined],
        ['message.failed', 'CANCELLED'],
      ],
    );
    const { json: timeline } = await call(gateway, tenant, 'GET', `/v1/messages/${events[0].data.id}/timeline`);
    assert.deepEqual(
      timeline.data.map((entry: { what: string; source?: string }) => [entry.what, entry.source]),
      [
        ['queued', undefined],
        ['failed', undefined],
      ],
    );
    const usage = await admin<{ accepted: number; failed: number; sent: number }>(
      gateway,
      'GET',
      `/organizations/${tenant.organizationId}/usage`,
    );
    assert.deepEqual([usage.accepted, usage.failed, usage.sent], [1, 1, 0]);
  });

  it('makes room in a full queue; a repeated key returns the cancelled message', async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { queue_max: 1 });
    const headers = { 'idempotency-key': 'once' };
    const body = templateTo(freshRecipient());
    const first = await send(gateway, tenant, body, { headers });
    assert.equal((await send(gateway, tenant, templateTo(freshRecipient()))).status, 429);
    const { id } = first.json.messages[0];
    await cancelOne(tenant, id);
    await untilCancelled(tenant, id);
    await until('there is room again', async () => {
      const answer = await send(gateway, tenant, templateTo(freshRecipient()));
      return answer.status === 202 ? true : undefined;
    });
    const replay = await send(gateway, tenant, body, { headers });
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
    assert.equal(replay.json.messages[0].id, id);
  });

  it('cancels a message recorded for retry at this moment, but not a held or cancelled one', async () => {
    const { db } = gateway.app;
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    const to = freshRecipient();
    const ids = [await sendTemplate(gateway, tenant, to)];
    for (let count = 0; count < 2; count += 1) ids.push(await sendTemplate(gateway, tenant, freshRecipient()));
    const cancelling = await db.transaction(async (tx) => {
      await tx.query({
        text: `
          UPDATE send_queue SET attempt = 1, hold_until = CASE WHEN message_id = $2 THEN now() + interval '1 hour' END,
            cancelled_at = CASE WHEN message_id = $3 THEN now() END
          WHERE message_id IN ($1, $2, $3)`,
        values: ids,
      });
      const answer = cancel(tenant, { template: 'spring_sale' });
      await Promise.race([answer, untilWaiting(db)]);
      return { answer };
    });
    assert.deepEqual((await cancelling.answer).json, { cancelled: 1, next: null });
    assert.deepEqual((await cancel(tenant, { template: 'spring_sale' })).json, { cancelled: 0, next: null });
    await untilCancelled(tenant, ids[0]!);
  });

  it('cancels all of many messages recorded for retry at this moment', async () => {
    const { db } = gateway.app;
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    const count = 120;
    const ids = await Promise.all(Array.from({ length: count }, () => sendTemplate(gateway, tenant, freshRecipient())));
    const cancelling = await db.transaction(async (tx) => {
      await tx.query({ text: 'UPDATE send_queue SET attempt = 1 WHERE message_id = ANY ($1)', values: [ids] });
      const answer = cancel(tenant, { template: 'spring_sale' });
      await Promise.race([answer, untilWaiting(db)]);
      return { answer };
    });
    assert.deepEqual((await cancelling.answer).json, { cancelled: count, next: null });
  });

  it('leaves possibly sent messages alone', async () => {
    const tenant = await createTenant(gateway);
    // Reset before it was accepted, which cannot be known here.
    const to = '+15550107001';
    const id = await sendTemplate(gateway, tenant, to);
    await until('its outcome is unknown', async () => {
      const { json } = await call(gateway, tenant, 'GET', `/v1/messages/${id}/timeline`);
      return json.data.some((entry: { outcome?: string }) => entry.outcome === 'unknown') || undefined;
    });
    assertError(await cancelOne(tenant, id), 409, 'CONFLICT');
    assert.equal((await cancel(tenant, { recipient: to })).json.cancelled, 0);
    assert.equal((await readMessage(gateway, tenant, id)).status, 'queued');
  });

  it('does not cancel a message in flight, whatever the answer', async () => {
    const tenant = await createTenant(gateway);
    // Answered after two seconds.
    const to = '+15550106200';
    const id = await sendTemplate(gateway, tenant, to);
    await gateway.simulator.world.sends.waitFor((sent) => sent.waId === to.slice(1));
    assert.equal((await cancelOne(tenant, id)).status, 202);
    await untilStatus(gateway, tenant, id, 'sent', 'delivered', 'read');
    assert.equal(sendsTo(gateway, to).length, 1);
  });

  it("a cancelled message uses none of its pair's burst, so the next does not wait", async () => {
    const tenant = await createTenant(gateway);
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
    await pause(gateway, tenant);
    const to = freshRecipient();
    const wrong = await Promise.all(Array.from({ length: 60 }, () => sendTemplate(gateway, tenant, to)));
    assert.equal((await cancel(tenant, { recipient: to })).json.cancelled, 60);
    for (const id of wrong) await untilCancelled(tenant, id);
    await sendTemplate(gateway, tenant, to);
    await resume(gateway, tenant);
    await until('it is sent', () => sendsTo(gateway, to).length > 0 || undefined, 5_000);
  });

  it('repeated requests look only for the cancelled messages', async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    const { db } = gateway.app;
    const { query } = db;
    const names: (string | undefined)[] = [];
    db.query = ((statement) => {
      names.push(statement.name);
      return query(statement);
    }) as typeof query;
    for (let count = 0; count < 20; count += 1) {
      const id = await sendTemplate(gateway, tenant, freshRecipient());
      await (count % 2 === 0 ? cancelOne(tenant, id) : cancel(tenant, { template: 'spring_sale' }));
      await untilCancelled(tenant, id);
    }
    db.query = query;
    const looksFor = (name: string) => names.filter((other) => other === name).length;
    assert.ok(looksFor('queue_list_cancelled') >= 20);
    assert.ok(looksFor('queue_list_expired') < 10, 'from time to time');
  });

  it('continues where a call stopped, in any amount, with the next number from its start', async () => {
    const tenant = await createTenant(gateway);
    const other = { ...tenant, phoneNumberId: `${tenant.phoneNumberId}9` };
    gateway.simulator.world.addNumber(tenant.wabaId, {
      id: other.phoneNumberId,
      displayPhoneNumber: `+${tenant.phoneNumber}9`,
    });
    await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    for (const sender of [tenant, other]) await pause(gateway, sender);
    await gateway.app.db.query({
      text: `
        WITH fresh AS (
          SELECT organization_id, number_id, 12020000000 + i AS contact, ${NEW_ID_SQL} AS id, CASE WHEN i = 1 THEN 'spring_sale' END AS name
          FROM sending_number, generate_series(1, 40500) AS i WHERE phone_number_id = $1
        ),
        stored AS (
          INSERT INTO message (organization_id, id, number_id, direction, contact, type, template_name, body, status, accepted_at)
          SELECT organization_id, id, number_id, 0, contact, 'template', name, '{}', 0, now() FROM fresh
        )
        INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
        SELECT number_id % 64, number_id, CASE WHEN name IS NULL THEN 1000000 ELSE 2000000 END, contact, '00000000-0000-0000-0000-000000000000', id, now(), now() + interval '1 day'
        FROM fresh`,
      values: [tenant.phoneNumberId],
    });
    const id = await sendTemplate(gateway, other, freshRecipient());
    const first = await cancel(tenant, { template: 'spring_sale' });
    assert.equal(first.json.cancelled, 0);
    assert.equal(first.json.next.template, 'spring_sale');
    const second = await cancel(tenant, first.json.next);
    assert.deepEqual(second.json, { cancelled: 2, next: null });
    await untilCancelled(tenant, id);
  });

  it('refuses an empty or unknown selection, as it would cancel too much', async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const bodies: [unknown, RegExp][] = [
      [{}, /which messages/],
      [{ after: '1.2.3' }, /which messages/],
      [{ template_name: 'spring_sale' }, /must not have "template_name"/],
      [{ template: 'spring_sale', status: 'queued' }, /must not have "status"/],
      [{ template: 7 }, /"template"/],
      [{ template: 'spring_sale\0' }, /"template"/],
      [{ number: 'mine' }, /"number"/],
      [{ recipient: 'you' }, /"recipient"/],
      [{ from: 'yesterday' }, /"from"/],
      [{ to: '2026-11-31T00:00:00Z' }, /"to"/],
      [{ template: 'x', after: 'here' }, /"after"/],
      [{ template: 'x', after: '1.2' }, /"after"/],
      [{ template: 'x', after: '9999999999.1.1' }, /"after"/],
      [{ template: 'x', after: '1.9999999999.1' }, /"after"/],
      [{ template: 'x', after: '1.1.99999999999999999999' }, /"after"/],
      ['[]', /must be a JSON object/],
      ['', /empty/],
      ['{"template":', /not valid JSON/],
    ];
    for (const [body, words] of bodies) {
      const answer = await cancel(tenant, body);
      assertError(answer, 400, 'VALIDATION_ERROR');
      assert.match(answer.json.message, words);
    }
    assertError(await cancel(undefined, { template: 'x' }), 401, 'UNAUTHORIZED');
    assertError(await cancelOne(tenant, 'mine'), 400, 'INVALID_ID');
    assert.equal((await readMessage(gateway, tenant, id)).status, 'queued');
  });
});
