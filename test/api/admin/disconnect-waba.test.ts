import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { findSettlingStatuses } from '../../../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { pullAll } from '../../harness/events.ts';
import { useGateway } from '../../harness/fixtures.ts';
import {
  admin,
  askAdmin,
  call,
  connectWaba,
  createTenant,
  freshRecipient,
  pause,
  readMessage,
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
import {
  freshWamid,
  inboundText,
  messagesChange,
  nowSeconds,
  payloadOf,
  postChange,
  postWebhook,
  statusOf,
} from '../../harness/upstream-webhook.ts';

const ABSENT = '899999999999999';

describe('disconnecting a business account', () => {
  const gateway = useGateway();
  afterEach(() => gateway.simulator.world.clearFaults());

  const disconnect = async ({ wabaId }: Tenant) => {
    const answer = await askAdmin(gateway, 'DELETE', `/wabas/${wabaId}`);
    assert.deepEqual([answer.status, answer.text], [204, '']);
  };
  /** Connects the account to the organization; returns its tenant there. */
  const connect = async ({ wabaId, phoneNumberId, phoneNumber }: Tenant, to: Tenant): Promise<Tenant> => {
    const { numbers } = await connectWaba(gateway, to.organizationId, wabaId);
    const number = numbers.find((one) => one.phone_number_id === phoneNumberId);
    return { ...to, wabaId, phoneNumberId, phoneNumber, accountId: number!.account_id };
  };
  const get = (tenant: Tenant, path: string) => call(gateway, tenant, 'GET', path);
  const usageOf = ({ organizationId }: Tenant) =>
    admin<{ accepted: number; sent: number; failed: number }>(gateway, 'GET', `/organizations/${organizationId}/usage`);
  const typesAbout = async (tenant: Tenant, id: string) =>
    (await pullAll(gateway, tenant)).filter((event) => event.data.id === id).map((event) => event.type);

  it('waiting messages end as cancelled; new sends get the bytes of an unknown number', async () => {
    const tenant = await createTenant(gateway);
    const sent = await sendTemplate(gateway, tenant, freshRecipient());
    await untilStatus(gateway, tenant, sent, 'read');
    await pause(gateway, tenant);
    const to = freshRecipient();
    const waiting = [await sendTemplate(gateway, tenant, to), await sendTemplate(gateway, tenant, freshRecipient())];
    const syncing = send(gateway, tenant, templateTo(freshRecipient()), { query: '?sync=true' });
    await until('all three are queued', async () => {
      const { numbers } = await admin<{ numbers: { queued: number }[] }>(
        gateway,
        'GET',
        `/queue?phone_number_id=${tenant.phoneNumberId}`,
      );
      return numbers[0]?.queued === 3 || undefined;
    });

    await disconnect(tenant);
    const refused = await send(gateway, tenant, templateTo(freshRecipient()));
    assertError(refused, 404, 'ACCOUNT_NOT_FOUND');
    const absent = await send(gateway, { ...tenant, phoneNumberId: ABSENT }, templateTo(freshRecipient()));
    assert.equal(textWithoutRequestId(refused), textWithoutRequestId(absent));
    for (const id of waiting) {
      const message = await untilStatus(gateway, tenant, id, 'failed');
      assert.deepEqual(
        [message.error_code, message.error_message],
        ['CANCELLED', 'The sending number was disconnected before the message was dispatched.'],
      );
      await until('it is told', async () => (await typesAbout(tenant, id)).includes('message.failed') || undefined);
    }
    assertError(await syncing, 422, 'SEND_FAILED');
    assert.equal(sendsTo(gateway, to).length, 0);
    const { accepted, sent: counted, failed } = await usageOf(tenant);
    assert.deepEqual([accepted, counted, failed], [4, 1, 3]);

    const { status } = await readMessage(gateway, tenant, sent);
    assert.equal(status, 'read', 'what was sent stays to be read');
    assert.equal((await get(tenant, `/v1/messages/${sent}/timeline`)).status, 200);
    const listed = await get(tenant, `/v1/messages?number=${tenant.phoneNumberId}`);
    assert.equal(listed.json.data.length, 4);
    assert.ok((await get(tenant, `/v1/events?number=${tenant.phoneNumberId}`)).json.data.length >= 4);
  });

  it('the token and the templates are deleted, the app is unsubscribed, a repeat is 404', async () => {
    const tenant = await createTenant(gateway);
    const template = (await get(tenant, `/v1/${tenant.wabaId}/message_templates?name=order_update`)).json.data[0];
    assert.equal((await get(tenant, `/v1/templates/${template.id}`)).status, 200);
    await disconnect(tenant);
    for (const path of [
      `/v1/templates/${template.id}`,
      `/v1/${tenant.wabaId}/message_templates`,
      `/v1/${tenant.phoneNumberId}`,
      `/v1/${tenant.wabaId}`,
    ]) {
      assert.equal((await get(tenant, path)).status, 404, path);
    }
    assert.deepEqual((await askAdmin(gateway, 'GET', `/organizations/${tenant.organizationId}/wabas`)).json, {
      data: [],
      next: null,
    });
    for (const table of ['waba', 'template', 'template_poll']) {
      const text = `SELECT FROM ${table} WHERE organization_id = $1`;
      assert.deepEqual(await gateway.app.db.query({ text, values: [tenant.organizationId] }), [], table);
    }
    assert.equal(gateway.simulator.world.accounts.findWaba(tenant.wabaId)?.subscribed, false);
    assertError(await askAdmin(gateway, 'DELETE', `/wabas/${tenant.wabaId}`), 404, 'NOT_FOUND');
    assertError(await askAdmin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`), 404, 'NOT_FOUND');
    assertError(
      await askAdmin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { paused: true }),
      404,
      'ACCOUNT_NOT_FOUND',
    );
  });

  it('an unknown or malformed account id is not found', async () => {
    assertError(await askAdmin(gateway, 'DELETE', '/wabas/799999999999999'), 404, 'NOT_FOUND');
    assertError(await askAdmin(gateway, 'DELETE', '/wabas/a%20b'), 400, 'VALIDATION_ERROR');
    assert.equal((await call(gateway, undefined, 'DELETE', '/admin/v1/wabas/799999999999999')).status, 401);
  });

  it('works without an answer of the platform', async () => {
    const tenant = await createTenant(gateway);
    gateway.simulator.world.rotateToken(tenant.wabaId, 'EAArotated');
    await disconnect(tenant);
    assertError(await send(gateway, tenant, templateTo(freshRecipient())), 404, 'ACCOUNT_NOT_FOUND');
  });

  it('messages in flight finish and get statuses, even if another organization has it', async () => {
    const tenant = await createTenant(gateway);
    const other = await createTenant(gateway);
    const to = freshRecipient();
    const scope = { recipient: to.slice(1) };
    gateway.simulator.world.addFault({ fault: { kind: 'slow', delayMs: 1_000 }, scope });
    gateway.simulator.world.addFault({ fault: { kind: 'webhook_lost' }, scope });
    const id = await sendTemplate(gateway, tenant, to);
    await until('it is on its way', () => sendsTo(gateway, to).length || undefined);
    await disconnect(tenant);
    const { message_id: wamid } = await untilStatus(gateway, tenant, id, 'sent');
    const told = (status: string) => postChange(gateway, tenant, { statuses: [statusOf(wamid, status, nowSeconds())] });
    await told('delivered');
    await untilStatus(gateway, tenant, id, 'delivered');
    await connect(tenant, other);
    await told('read');
    await untilStatus(gateway, tenant, id, 'read');
  });

  it('undocumented webhook fields of former messages: not shown to the next organization', async () => {
    const [former, other] = [await createTenant(gateway), await createTenant(gateway)];
    const to = freshRecipient();
    const id = await sendTemplate(gateway, former, to, 'spring_sale', { biz_opaque_callback_data: 'order 7' });
    const { message_id } = await untilStatus(gateway, former, id, 'read');
    await disconnect(former);
    const owner = await connect(former, other);
    const person = to.slice(1);
    const at = nowSeconds();
    const theirs = statusOf(message_id, 'deleted', at, { recipient_id: person, biz_opaque_callback_data: 'order 7' });
    const own = statusOf(freshWamid(), 'deleted', at, { recipient_id: '12025550155' });
    const contacts = [{ profile: { name: 'Ada' }, wa_id: person }];
    const errors = [{ code: 131000, title: 'Something went wrong' }];
    const told = [
      messagesChange(owner, { contacts, statuses: [theirs] }),
      messagesChange(owner, { contacts, statuses: [theirs, own] }),
      messagesChange(owner, { contacts, statuses: [theirs], errors }),
    ];
    assert.equal((await postWebhook(gateway, payloadOf(owner, ...told))).status, 200);
    const values = (await pullAll(gateway, owner))
      .filter((event) => event.type === 'upstream.other')
      .map((event) => event.data.value);
    assert.deepEqual(
      values.sort((first) => (first.errors === undefined ? -1 : 1)),
      [messagesChange(owner, { statuses: [own] }).value, messagesChange(owner, { errors }).value],
    );
  });

  it("another organization connects it: as for the first time, neither sees the other's data", async () => {
    const [tenant, other] = [await createTenant(gateway), await createTenant(gateway)];
    const to = await writtenRecipient(gateway, tenant);
    const key = { 'idempotency-key': 'the same key' };
    const mine = (await send(gateway, tenant, textTo(to), { headers: key })).json.messages[0].id;
    await untilStatus(gateway, tenant, mine, 'read');
    await pause(gateway, tenant);
    const waiting = await sendTemplate(gateway, tenant, freshRecipient());
    const before = await pullAll(gateway, tenant);
    await disconnect(tenant);
    const taken = await connect(tenant, other);
    assert.notEqual(taken.accountId, tenant.accountId);

    assertError(await send(gateway, taken, textTo(to)), 403, 'OUTSIDE_24H_WINDOW');
    const theirs = (await send(gateway, taken, templateTo(to), { headers: key })).json.messages[0].id;
    assert.notEqual(theirs, mine, 'the key is another number’s');
    await untilStatus(gateway, taken, theirs, 'read');
    const from = freshRecipient();
    await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from });
    await untilStatus(gateway, tenant, waiting, 'failed');

    for (const [reader, ids] of [
      [taken, [theirs]],
      [tenant, [mine, waiting]],
    ] as const) {
      const listed = await get(reader, `/v1/messages?number=${tenant.phoneNumberId}&direction=outbound`);
      assert.deepEqual(listed.json.data.map((message: { id: string }) => message.id).toSorted(), ids.toSorted());
    }
    assertError(await get(taken, `/v1/messages/${mine}`), 404, 'NOT_FOUND');
    assertError(await get(tenant, `/v1/messages/${theirs}`), 404, 'NOT_FOUND');
    const received = await get(tenant, `/v1/messages?recipient=${from.slice(1)}`);
    assert.deepEqual(received.json.data, [], 'what people write since is not the first one’s');
    const afterwards = (await pullAll(gateway, tenant)).slice(before.length);
    assert.deepEqual([...new Set(afterwards.map((event) => event.data.id))], [waiting]);
    const told = (await pullAll(gateway, taken)).filter((event) => event.data.phone_number_id === tenant.phoneNumberId);
    assert.ok(told.every((event) => event.data.id !== mine && event.data.id !== waiting));
    const templates = await get(tenant, `/v1/templates?limit=100`);
    assert.deepEqual(templates.json.data, []);
    assert.equal((await get(taken, `/v1/${tenant.wabaId}/message_templates?name=order_update`)).json.data.length, 1);
    assertError(await send(gateway, tenant, templateTo(freshRecipient())), 404, 'ACCOUNT_NOT_FOUND');
  });

  it('the same organization connects it again: it can send', async () => {
    const tenant = await createTenant(gateway);
    const first = await sendTemplate(gateway, tenant, freshRecipient());
    await untilStatus(gateway, tenant, first, 'read');
    await disconnect(tenant);
    const again = await connect(tenant, tenant);
    assert.notEqual(again.accountId, tenant.accountId);
    const second = await sendTemplate(gateway, again, freshRecipient());
    await untilStatus(gateway, again, second, 'read');
    const listed = await get(again, `/v1/messages?number=${tenant.phoneNumberId}`);
    assert.deepEqual(
      listed.json.data.map((message: { id: string }) => message.id).toSorted(),
      [first, second].toSorted(),
    );
    assert.equal(gateway.simulator.world.accounts.findWaba(tenant.wabaId)?.subscribed, true);
  });

  it('inbound messages in between belong to no organization', async () => {
    const tenant = await createTenant(gateway);
    await disconnect(tenant);
    const from = freshRecipient().slice(1);
    const message = inboundText(from, nowSeconds());
    await postChange(gateway, tenant, { messages: [message] });
    assert.deepEqual((await get(tenant, `/v1/messages?recipient=${from}`)).json.data, []);
    const journal = await gateway.app.db.query<{ payload: Buffer }>({ text: 'SELECT payload FROM upstream_journal' });
    assert.ok(
      journal.some(({ payload }) => payload.includes(from)),
      'it is journaled',
    );
  });

  it('inbound messages from before: not shown to the next organization, however late', async () => {
    const [tenant, other] = [await createTenant(gateway), await createTenant(gateway)];
    const [before, since] = [freshRecipient().slice(1), freshRecipient().slice(1)];
    const mediaId = `7${tenant.phoneNumberId}`;
    const image = { id: mediaId, mime_type: 'image/jpeg', sha256: 'c2hh' };
    const { text: _, ...written } = inboundText(before, nowSeconds() - 60);
    await disconnect(tenant);
    const taken = await connect(tenant, other);
    const messages = [{ ...written, type: 'image', image }, inboundText(since, nowSeconds())];
    await postChange(gateway, taken, { messages });
    assert.equal((await get(taken, `/v1/messages?recipient=${since}`)).json.data.length, 1);
    assert.equal((await send(gateway, taken, textTo(`+${since}`))).status, 202);
    assert.deepEqual((await get(taken, `/v1/messages?recipient=${before}`)).json.data, []);
    assertError(await send(gateway, taken, textTo(`+${before}`)), 403, 'OUTSIDE_24H_WINDOW');
    const media = { text: 'SELECT FROM media WHERE media_id = $1', values: [mediaId] };
    assert.equal((await gateway.app.db.query(media)).length, 0);
  });

  it('a status settles an outcome only of the organization that had the number at its time', async () => {
    const { db } = gateway.app;
    const [tenant, other] = [await createTenant(gateway), await createTenant(gateway)];
    const to = freshRecipient();
    const contact = to.slice(1);
    await pause(gateway, tenant);
    const mine = await sendTemplate(gateway, tenant, to);
    await disconnect(tenant);
    const taken = await connect(tenant, other);
    await pause(gateway, taken);
    const theirs = await sendTemplate(gateway, taken, to);
    const numberIdOf = async (id: string) => {
      const text = 'SELECT number_id AS "numberId" FROM message WHERE id = $1';
      return (await db.query<{ numberId: number }>({ text, values: [id] }))[0]?.numberId ?? 0;
    };
    const questionOf = async ({ organizationId, phoneNumberId }: Tenant, messageId: string, seq: number) => {
      return {
        organizationId,
        messageId,
        seq,
        numberId: await numberIdOf(messageId),
        phoneNumberId,
        contact,
        sinceMs: 0,
      };
    };
    const questions = [await questionOf(tenant, mine, 1), await questionOf(taken, theirs, 2)];
    const park = async (at: number) => {
      const wamid = freshWamid();
      const statuses = [statusOf(wamid, 'sent', at, { recipient_id: contact })];
      await postChange(gateway, taken, { statuses });
      return wamid;
    };
    const late = await park(nowSeconds() + 2);
    assert.deepEqual(
      (await findSettlingStatuses(db, questions)).map(({ seq, wamid }) => [seq, wamid]),
      [[2, late]],
    );
    const early = await park(nowSeconds() - 60);
    assert.deepEqual(
      (await findSettlingStatuses(db, questions)).map(({ seq, wamid }) => [seq, wamid]),
      [
        [1, early],
        [2, late],
      ],
    );
  });
});
