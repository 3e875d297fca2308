import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import pino from 'pino';
import { ordinaryPerson, userIdOf } from '../../../src/simulator/people/person.ts';
import { assertError } from '../../harness/assert-error.ts';
import { endBefore, fill, useGateway, useTenant } from '../../harness/fixtures.ts';
import { tablesWith } from '../../harness/tables-with.ts';
import {
  call,
  freshRecipient,
  readMessage,
  send,
  sendNow,
  type Tenant,
  textTo,
  until,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';
import { nowSeconds, postChange, statusOf } from '../../harness/upstream-webhook.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createWebhook } from '../webhooks/webhook-endpoint.ts';

const lines: string[] = [];
const log = pino(
  { level: 'trace' },
  new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  }),
);

interface Planted {
  phone: string;
  userId: string;
  text: string;
  fileName: string;
  profile: string;
  callback: string;
  /** The person's messages. */
  inbound: string;
  outbound: string;
}

describe('erasing a person', () => {
  const gateway = useGateway({ settings: () => ({ log }), fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const stranger = useTenant(gateway);
  const receiver = fill(() =>
    startReceiver((request, response) => {
      // An endpoint whose answers repeat the request.
      response.writeHead(request.path === '/failing' ? 400 : 200).end(request.body.slice(0, 300));
    }),
  );
  endBefore(gateway, async () => {
    await receiver[Symbol.asyncDispose]();
  });

  /** Lets a person write to a tenant and get an answer, with every kind of data that names the person. */
  async function plant(to: Tenant, phone = freshRecipient().slice(1)): Promise<Planted> {
    const mark = `${to.phoneNumberId}${phone}`;
    const planted = {
      phone,
      userId: userIdOf(ordinaryPerson(phone), { portfolioId: to.wabaId, parentPortfolioId: null }),
      text: `planted text ${mark}`,
      fileName: `planted-file-${mark}.pdf`,
      profile: `Planted Profile ${mark}`,
      callback: `planted-callback-${mark}`,
    };
    const base = { phoneNumberId: to.phoneNumberId, from: phone, profileName: planted.profile };
    await gateway.simulator.world.inbound({ ...base, text: planted.text });
    const file = {
      id: String(randomInt(1e11, 9e11)),
      mime_type: 'application/pdf',
      sha256: 'abc',
      filename: planted.fileName,
    };
    await gateway.simulator.world.inbound({ ...base, type: 'document', content: file });
    const body = { ...textTo(`+${phone}`, planted.text), biz_opaque_callback_data: planted.callback };
    const answer = await send(gateway, to, body, { query: '?sync=true' });
    assert.equal(answer.status, 200, answer.text);
    const { id: outbound } = answer.json.messages[0];
    await untilStatus(gateway, to, outbound, 'read');
    const optOut = { phone_number_id: to.phoneNumberId, person: `+${phone}` };
    assert.equal((await call(gateway, to, 'POST', '/v1/opt-outs', { body: optOut })).status, 201);
    const list = await call(gateway, to, 'GET', `/v1/messages?recipient=${phone}&direction=inbound`);
    assert.equal(list.json.data.length, 2, list.text);
    return { ...planted, outbound, inbound: list.json.data[0].id };
  }

  async function erase(of: Tenant, person: string) {
    const answer = await call(gateway, of, 'DELETE', `/v1/people/${encodeURIComponent(person)}`);
    assert.equal(answer.status, 202, answer.text);
    return until('the erasure is done', async () => {
      const receipt = await call(gateway, of, 'GET', `/v1/erasures/${answer.json.id}`);
      assert.equal(receipt.status, 200, receipt.text);
      return receipt.json.status === 'done' ? receipt.json : undefined;
    });
  }

  const search = (text: string) => tablesWith(gateway.app.db, text);

  it('an erased person: nowhere in the database or the log; other people stay', async () => {
    const url = `${receiver.url}/`;
    await createWebhook(gateway, tenant, { url });
    await createWebhook(gateway, tenant, { url: `${receiver.url}/failing` });
    const person = await plant(tenant);
    const other = await plant(tenant);
    const elsewhere = await plant(stranger, person.phone);
    await until('both endpoints got all', () =>
      receiver.received.filter(({ body }) => body.includes(person.outbound)).length >= 8 ? true : undefined,
    );
    const strings = (of: Planted) => [of.phone, of.userId, of.text, of.fileName, of.profile, of.callback];
    for (const text of strings(person)) assert.notDeepEqual(await search(text), [], text);
    const usage = await usageOf(tenant);

    const receipt = await erase(tenant, `+${person.phone}`);
    assert.ok(receipt.messages === 3 && receipt.events > 3 && receipt.payloads > 3, JSON.stringify(receipt));
    for (const text of strings(person).filter((one) => !strings(elsewhere).includes(one))) {
      assert.deepEqual(await search(text), [], text);
    }
    for (const text of strings(other)) assert.notDeepEqual(await search(text), [], text);
    for (const text of strings(elsewhere)) assert.notDeepEqual(await search(text), [], text);
    await erase(stranger, elsewhere.userId);
    for (const text of strings(elsewhere)) assert.deepEqual(await search(text), [], text);
    for (const text of [...strings(person), ...strings(elsewhere)]) {
      assert.equal(
        lines.find((line) => line.includes(text)),
        undefined,
        text,
      );
    }
    assert.deepEqual(await usageOf(tenant), usage);
  });

  it('the messages of an erased person: shown with status and times, without person and content', async () => {
    const person = await plant(tenant);
    await erase(tenant, person.userId);
    const outbound = await readMessage(gateway, tenant, person.outbound);
    assert.equal(outbound.status, 'read');
    assert.deepEqual(
      [outbound.recipient_phone, outbound.user_id, outbound.message_id, outbound.content],
      [null, null, null, {}],
    );
    const inbound = await readMessage(gateway, tenant, person.inbound);
    assert.deepEqual([inbound.status, inbound.sender_phone, inbound.content], ['received', null, {}]);
    assert.equal((await call(gateway, tenant, 'GET', `/v1/messages/${person.outbound}/timeline`)).status, 200);
    assert.equal((await call(gateway, tenant, 'GET', '/v1/messages')).status, 200);
    assert.equal((await call(gateway, tenant, 'GET', '/v1/events')).status, 200);
    const list = await call(gateway, tenant, 'GET', `/v1/messages?recipient=${person.phone}`);
    assert.deepEqual(list.json.data, []);
  });

  it('a reply that quotes an erased message: 409 that says so', async () => {
    const { phone, outbound } = await plant(tenant);
    await erase(tenant, phone);
    const to = await writtenRecipient(gateway, tenant);
    const answer = await send(gateway, tenant, { ...textTo(to, 'hi'), context: { message_id: outbound } });
    assertError(answer, 409, 'CONFLICT');
    assert.match(answer.json.message, /erased/);
  });

  it('sending to and hearing from an erased person: as with a stranger', async () => {
    const person = await plant(tenant);
    const to = `+${person.phone}`;
    await erase(tenant, person.phone);
    assertError(await send(gateway, tenant, textTo(to)), 403, 'OUTSIDE_24H_WINDOW');
    await sendNow(gateway, tenant, to);
    await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from: to, text: 'again' });
    const answer = await send(gateway, tenant, textTo(to), { query: '?sync=true' });
    assert.equal(answer.status, 200, answer.text);
    const list = await call(gateway, tenant, 'GET', `/v1/messages?recipient=${person.phone}`);
    assert.equal(list.json.data.length, 3);
  });

  it('replays of the journal during an erasure: bring nothing back', async () => {
    const person = await plant(tenant);
    const replayOften = async () => {
      for (let times = 0; times < 10; times += 1) {
        const range = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 60_000) };
        const path = '/admin/v1/upstream-journal/replay';
        const answer = await call(gateway, { apiKey: gateway.adminToken }, 'POST', path, { body: range });
        assert.ok(answer.status < 300, answer.text);
        await until('all payloads are applied', async () => {
          const pending = await gateway.app.db.query({ text: 'SELECT FROM upstream_journal WHERE pending LIMIT 1' });
          return pending.length === 0 ? true : undefined;
        });
      }
    };
    await Promise.all([replayOften(), erase(tenant, person.phone)]);
    for (const text of [person.phone, person.userId, person.text, person.fileName, person.profile]) {
      assert.deepEqual(await search(text), [], text);
    }
  });

  it('a status after the erasure: counts, and leaves the message without the person', async () => {
    const person = await plant(tenant);
    const { message_id: wamid } = await readMessage(gateway, tenant, person.outbound);
    await erase(tenant, person.phone);
    const before = await readMessage(gateway, tenant, person.outbound);
    const status = statusOf(wamid, 'delivered', nowSeconds() - 3_600, {
      recipient_id: person.phone,
      recipient_user_id: person.userId,
    });
    await postChange(gateway, tenant, { statuses: [status] });
    const after = await readMessage(gateway, tenant, person.outbound);
    assert.notEqual(after.delivered_at, before.delivered_at);
    assert.deepEqual([after.status, after.user_id, after.recipient_phone], ['read', null, null]);
  });

  it('waiting messages: cancelled before the erasure goes on', async () => {
    const person = await plant(tenant);
    await call(gateway, { apiKey: gateway.adminToken }, 'PATCH', `/admin/v1/numbers/${tenant.phoneNumberId}`, {
      body: { paused: true },
    });
    const waiting = await send(gateway, tenant, textTo(`+${person.phone}`, 'never sent'));
    assert.equal(waiting.status, 202, waiting.text);
    await erase(tenant, person.phone);
    const message = await readMessage(gateway, tenant, waiting.json.messages[0].id);
    assert.deepEqual([message.status, message.error_code], ['failed', 'CANCELLED']);
    assert.deepEqual(await search('never sent'), []);
    await call(gateway, { apiKey: gateway.adminToken }, 'PATCH', `/admin/v1/numbers/${tenant.phoneNumberId}`, {
      body: { paused: false },
    });
  });

  it('an unknown person, a malformed name, a foreign receipt: done, refused, not found', async () => {
    const receipt = await erase(tenant, freshRecipient());
    assert.deepEqual([receipt.messages, receipt.events, receipt.payloads], [0, 0, 0]);
    assertError(await call(gateway, stranger, 'GET', `/v1/erasures/${receipt.id}`), 404, 'NOT_FOUND');
    assertError(await call(gateway, tenant, 'DELETE', '/v1/people/nobody'), 400, 'VALIDATION_ERROR');
    assertError(await call(gateway, tenant, 'GET', '/v1/people/nobody/data'), 400, 'VALIDATION_ERROR');
  });

  it('the export: names, windows, opt-outs and messages, and nothing of another tenant', async () => {
    const person = await plant(tenant);
    for (const name of [person.phone, `+${person.phone}`, person.userId]) {
      const answer = await call(gateway, tenant, 'GET', `/v1/people/${encodeURIComponent(name)}/data`);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.json.phone_numbers, answer.json.user_ids], [[person.phone], [person.userId]]);
      assert.equal(answer.json.messages.length, 3);
      assert.equal(answer.json.windows[0].phone_number_id, tenant.phoneNumberId);
      assert.equal(answer.json.windows[0].contact.profile.name, person.profile);
      assert.deepEqual(
        answer.json.opt_outs.map((one: { phone_number_id: string; person: string }) => [
          one.phone_number_id,
          one.person,
        ]),
        [[tenant.phoneNumberId, person.phone]],
      );
      for (const text of [person.text, person.fileName]) assert.ok(answer.text.includes(text), text);
    }
    const foreign = await call(gateway, stranger, 'GET', `/v1/people/${person.phone}/data`);
    assert.deepEqual([foreign.json.messages, foreign.json.windows, foreign.json.opt_outs], [[], [], []]);
  });

  async function usageOf({ organizationId }: Tenant): Promise<unknown> {
    const path = `/admin/v1/organizations/${organizationId}/usage?group_by=category`;
    return (await call(gateway, { apiKey: gateway.adminToken }, 'GET', path)).json;
  }
});
