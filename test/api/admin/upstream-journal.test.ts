import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/database/days/partitions.ts';
import { preparePartitions } from '../../../src/maintenance.ts';
import { assertError } from '../../harness/assert-error.ts';
import { pullAll, untilSettled } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { createManualClock } from '../../harness/manual-clock.ts';
import {
  type Answer,
  call,
  connectWaba,
  freshRecipient,
  readMessage,
  sendTemplate,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import {
  inboundText,
  messagesChange,
  nowSeconds,
  payloadOf,
  postChange,
  postWebhook,
  statusOf,
} from '../../harness/upstream-webhook.ts';

describe('the journal of upstream posts', () => {
  const gateway = useGateway({ postsOwnWebhooks: true });
  const tenant = useTenant(gateway);

  const operator = () => ({ apiKey: gateway.adminToken });
  const journal = (query = '') => call(gateway, operator(), 'GET', `/admin/v1/upstream-journal${query}`);
  const replay = (body: unknown) => call(gateway, operator(), 'POST', '/admin/v1/upstream-journal/replay', { body });

  async function wholeJournal(limit = 200): Promise<Answer['json'][]> {
    await untilSettled(gateway.app.db);
    const entries: Answer['json'][] = [];
    for (let after = ''; ; ) {
      const { json } = await journal(`?limit=${limit}${after}`);
      if (json.data.length === 0) return entries;
      entries.push(...json.data);
      after = `&after=${json.next}`;
    }
  }

  const untilWorkedOff = () =>
    until('nothing is pending', async () =>
      (await wholeJournal()).every((entry) => !entry.pending) ? true : undefined,
    );

  function announce(field: string, value: unknown, time: number | null = nowSeconds()): Record<string, unknown> {
    return {
      object: 'whatsapp_business_account',
      entry: [{ id: tenant.wabaId, ...(time !== null && { time }), changes: [{ field, value }] }],
    };
  }

  it('keeps payloads to the last digit, and lists them in pages of any size', async () => {
    const texts = [1, 2, 3].map((n) => `{ "object" : "x${n}", "entry":[], "n": 12345678901234567890.10 }`);
    for (const text of texts) assert.equal((await postWebhook(gateway, text)).status, 200);
    assert.equal((await postWebhook(gateway, 'no json')).status, 200);
    await untilSettled(gateway.app.db);
    const { text } = await journal();
    for (const posted of texts) assert.ok(text.includes(posted), posted);
    const whole = await wholeJournal();
    for (const limit of [1, 2]) assert.deepEqual(await wholeJournal(limit), whole);
    const unreadable = whole.find((entry) => entry.payload === undefined);
    assert.equal(Buffer.from(unreadable.payload_base64, 'base64').toString(), 'no json');
    assert.ok(unreadable.failure);
  });

  it('recognizes a payload repeated byte for byte', async () => {
    const before = (await wholeJournal()).length;
    const payload = payloadOf(tenant, messagesChange(tenant, { messages: [inboundText('12025550101', nowSeconds())] }));
    for (let copy = 0; copy < 3; copy += 1) assert.equal((await postWebhook(gateway, payload)).status, 200);
    await Promise.all(Array.from({ length: 8 }, () => postWebhook(gateway, payload)));
    assert.equal((await wholeJournal()).length, before + 1);
    const events = (await pullAll(gateway, tenant)).filter((event) => event.data.sender_phone === '12025550101');
    assert.equal(events.length, 1);
  });

  it('makes one event of a change in several payloads, and one each of changes without a time', async () => {
    const value = { event: 'SOMETHING_NEW', n: 1 };
    const change = announce('a_field_of_tomorrow', value, 1_790_000_000);
    await postWebhook(gateway, change);
    await postWebhook(gateway, ` ${JSON.stringify(change)}`);
    await postWebhook(gateway, { ...change, batched: 'otherwise' });
    await postWebhook(gateway, announce('timeless', value, null));
    await postWebhook(gateway, ` ${JSON.stringify(announce('timeless', value, null))}`);
    const told = (await pullAll(gateway, tenant)).filter((event) => event.type === 'upstream.other');
    assert.deepEqual(
      told.map((event) => event.data.field),
      ['a_field_of_tomorrow', 'timeless', 'timeless'],
    );
    assert.deepEqual(told[0].data.value, value);
    assert.equal(told[0].timestamp, new Date(1_790_000_000_000).toISOString());
  });

  it('applies a time range again without doubling a message, a status or an event', async () => {
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    const { message_id: wamid } = await untilStatus(gateway, tenant, id, 'sent');
    const messages = [inboundText(freshRecipient().slice(1), nowSeconds())];
    const statuses = [statusOf(wamid, 'delivered', nowSeconds())];
    await postChange(gateway, tenant, { messages, statuses });
    await postWebhook(
      gateway,
      announce('account_update', { event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'ADULT' } }),
    );
    const events = await pullAll(gateway, tenant);
    const message = await readMessage(gateway, tenant, id);
    for (let round = 0; round < 2; round += 1) {
      const answer = await replay({ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' });
      assert.equal(answer.status, 202, answer.text);
      assert.equal(answer.json.payloads, (await wholeJournal()).length);
      await untilWorkedOff();
    }
    assert.deepEqual(await pullAll(gateway, tenant), events);
    assert.deepEqual(await readMessage(gateway, tenant, id), message);
  });

  it('applies nothing of a time whose messages may be dropped, as they would become new ones', async () => {
    const { db } = gateway.app;
    const agoMs = 90 * DAY_MS;
    await preparePartitions({ db, clock: createManualClock(Date.now() - agoMs) });
    const message = inboundText(freshRecipient().slice(1), nowSeconds());
    await postChange(gateway, tenant, { messages: [message] });
    const [entry] = (await wholeJournal()).slice(-1);
    await db.query({
      text: `WITH ref AS (DELETE FROM wamid_ref USING message m WHERE message_id = m.id AND m.wamid = $1),
                  dropped AS (DELETE FROM message WHERE wamid = $1)
             UPDATE upstream_journal SET received_at = $2 WHERE id = $3`,
      values: [message.id, new Date(Date.parse(entry.received_at) - agoMs), entry.id],
    });
    const events = await pullAll(gateway, tenant);
    const answer = await replay({ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' });
    await untilWorkedOff();
    assert.deepEqual(await pullAll(gateway, tenant), events);
    assert.equal(answer.json.payloads, (await wholeJournal()).length - 1);
  });

  it('a replay applies payloads that could not be applied at first', async () => {
    const { wabaId, phoneNumberId, organizationId } = tenant;
    const { db } = gateway.app;
    await db.query({
      text: 'ALTER TABLE event ADD CONSTRAINT broken CHECK (waba_id IS DISTINCT FROM $$'.concat(
        wabaId,
        '$$) NOT VALID',
      ),
    });
    const quality = announce('phone_number_quality_update', {
      display_phone_number: tenant.phoneNumber,
      event: 'THROUGHPUT_UPGRADE',
    });
    const from = new Date().toISOString();
    assert.equal((await postWebhook(gateway, quality)).status, 200, 'the upstream need not come again');
    await until('it was found out', async () => ((await wholeJournal()).at(-1).failure ? true : undefined));
    await db.query({ text: 'ALTER TABLE event DROP CONSTRAINT broken' });
    assert.equal((await replay({ from, to: '2100-01-01T00:00:00Z' })).status, 202);
    const event = await until('the number is told of', async () =>
      (await pullAll(gateway, tenant)).find((candidate) => candidate.type === 'number.updated'),
    );
    assert.equal(event.data.phone_number_id, phoneNumberId);
    const number = await until('the number is faster', async () => {
      const found = await gateway.app.accounts.findNumber(organizationId, phoneNumberId);
      return found?.throughputLevel === 'HIGH' ? found : undefined;
    });
    assert.equal(number.messagesPerSecond, 1000);
  });

  it('a replay applies payloads from before their account was connected', async () => {
    const [wabaId, phoneNumberId, displayPhoneNumber] = ['711222333', '811222333', '+15551222333'];
    gateway.simulator.world.addWaba({
      id: wabaId,
      accessToken: 'EAAlate',
      numbers: [{ id: phoneNumberId, displayPhoneNumber }],
      templates: [],
    });
    const late = { ...tenant, wabaId, phoneNumberId };
    const from = new Date().toISOString();
    const told = payloadOf(
      late,
      messagesChange(late, { messages: [inboundText(freshRecipient().slice(1), nowSeconds())] }),
      { field: 'account_update', value: { event: 'ACCOUNT_VIOLATION' } },
      { field: 'user_preferences', value: { metadata: { phone_number_id: phoneNumberId }, user_preferences: [] } },
    );
    assert.equal((await postWebhook(gateway, told)).status, 200);
    await connectWaba(gateway, tenant.organizationId, wabaId);
    for (let round = 0; round < 2; round += 1) {
      assert.equal((await replay({ from, to: '2100-01-01T00:00:00Z' })).status, 202);
      await untilWorkedOff();
    }
    const events = (await pullAll(gateway, tenant)).filter((event) => event.data.waba_id === wabaId);
    assert.deepEqual(events.map((event) => event.type).sort(), [
      'account.updated',
      'message.received',
      'upstream.other',
    ]);
  });

  it('is readable only by the operator, and refuses invalid parameters', async () => {
    const path = '/admin/v1/upstream-journal';
    for (const caller of [undefined, tenant]) {
      assertError(await call(gateway, caller, 'GET', path), 401, 'UNAUTHORIZED');
      assertError(await call(gateway, caller, 'POST', `${path}/replay`, { body: {} }), 401, 'UNAUTHORIZED');
    }
    for (const query of ['?after=x', '?after=MTIz', '?limit=201', '?from=today', '?to=x']) {
      assertError(await journal(query), 400, 'VALIDATION_ERROR');
    }
    const later = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    for (const body of [{}, later, { from: 'x', to: 'y' }, { ...later, more: 1 }, '[]', '']) {
      assertError(await replay(body), 400, 'VALIDATION_ERROR');
    }
  });
});
