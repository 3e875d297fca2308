import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  call,
  createTenant,
  freshRecipient,
  readMessage,
  send,
  sendNow,
  sendsTo,
  sendTemplate,
  templateTo,
  textTo,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

describe('a send the upstream rejects', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  const rejected = (code: number, fault: Record<string, unknown> = {}) => {
    const to = freshRecipient();
    gateway.simulator.world.addFault({ fault: { kind: 'error', code, ...fault }, scope: { recipient: to.slice(1) } });
    return to;
  };

  it("sync=true: 422 SEND_FAILED with the upstream's error, and the message stays failed", async () => {
    const to = rejected(131009, { details: 'Parameter value is not valid: colour' });
    const answer = await send(gateway, tenant, templateTo(to), { query: '?sync=true' });
    assertError(answer, 422, 'SEND_FAILED', 131009);
    assert.deepEqual(Object.keys(answer.json.provider_error).toSorted(), [
      'code',
      'error_user_msg',
      'error_user_title',
    ]);
    assert.equal(answer.json.provider_error.code, 131009);
    assert.equal(answer.json.provider_error.error_user_msg, 'Parameter value is not valid: colour');
    assert.notEqual(answer.json.provider_error.error_user_title, '');
    assert.equal(answer.json.message, 'Parameter value is not valid: colour');

    const [failed] = answer.json.messages;
    assert.deepEqual(failed, { id: failed.id, message_status: 'failed' });
    const message = await readMessage(gateway, tenant, failed.id);
    assert.deepEqual([message.status, message.error_code], ['failed', '131009']);
    assert.equal(message.error_message, answer.json.message);

    const [record] = sendsTo(gateway, to);
    assert.equal(record?.outcome.kind, 'rejected');
    const replay = await send(gateway, tenant, templateTo(to), { query: '?sync=true' });
    assertError(replay, 422, 'SEND_FAILED', 131009);
  });

  it("carries the upstream's title and text for users in provider_error, beside its details", async () => {
    const to = freshRecipient();
    const error = {
      message: '(#131009) Parameter value is not valid',
      type: 'OAuthException',
      code: 131009,
      error_data: { messaging_product: 'whatsapp', details: 'The colour is unknown.' },
      error_user_title: 'Colour',
      error_user_msg: 'Choose another colour.',
      fbtrace_id: 'A',
    };
    const fault = {
      kind: 'http',
      httpStatus: 400,
      body: JSON.stringify({ error }),
      contentType: 'application/json',
    } as const;
    gateway.simulator.world.addFault({ fault, scope: { recipient: to.slice(1) } });
    const request = { query: '?sync=true', headers: { 'idempotency-key': to } };
    const answer = await send(gateway, tenant, templateTo(to), request);
    assertError(answer, 422, 'SEND_FAILED', 131009);
    assert.equal(answer.json.message, 'The colour is unknown.');
    assert.deepEqual(answer.json.provider_error, {
      code: 131009,
      error_user_title: 'Colour',
      error_user_msg: 'Choose another colour.',
    });
    const replay = await send(gateway, tenant, templateTo(to), request);
    const { message, provider_error: provider, messages } = answer.json;
    assertError(replay, 422, 'SEND_FAILED', 131009);
    assert.partialDeepStrictEqual(replay.json, { message, provider_error: provider, messages });
  });

  it('without sync: the message fails, with code and explanation', async () => {
    const to = rejected(131009, { details: 'Parameter value is not valid: shape' });
    const message = await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, to), 'failed');
    assert.equal(message.error_code, '131009');
    assert.equal(message.error_message, 'Parameter value is not valid: shape');
    assert.equal(message.message_id, null);
    assert.equal(message.sent_at, null);
    assert.equal(sendsTo(gateway, to).length, 1, 'a rejection is not tried again');
  });

  for (const code of [
    100, 131008, 131021, 131026, 131051, 132000, 132001, 132005, 132007, 132012, 132015, 132016, 130497,
  ]) {
    it(`treats ${code} as a rejection under any HTTP status`, async () => {
      for (const httpStatus of [400, 404, 500]) {
        // A refusal that concerns the template makes it unsendable, so each code gets a new tenant.
        const sender = code === 132015 || code === 132016 ? await createTenant(gateway) : tenant;
        const sent = await sendTemplate(gateway, sender, rejected(code, { httpStatus }));
        const message = await untilStatus(gateway, sender, sent, 'failed');
        assert.equal(message.error_code, String(code));
        assert.notEqual(message.error_message, '');
      }
    });
  }

  it('fails by a webhook after the upstream had accepted it', async () => {
    const to = freshRecipient();
    gateway.simulator.world.addFault({
      fault: { kind: 'fail', code: 131026, after: 'sent' },
      scope: { recipient: to.slice(1) },
    });
    const { id, wamid } = await sendNow(gateway, tenant, to);
    const message = await untilStatus(gateway, tenant, id, 'failed');
    assert.equal(message.error_code, '131026');
    assert.equal(message.message_id, wamid);
    assert.notEqual(message.sent_at, null);
  });

  it('answers 422 to a mark-as-read the upstream rejects', async () => {
    const answer = await send(gateway, tenant, { status: 'read', message_id: 'wamid.neverReceived' });
    assertError(answer, 422, 'SEND_FAILED', 100);
    assert.equal(answer.json.provider_error.code, 100);
    assert.match(answer.json.provider_error.error_user_msg, /neverReceived/);
    assert.equal(typeof answer.json.provider_error.error_user_title, 'string');
  });

  it('never shows the upstream token in an error', async () => {
    const { accessToken } = gateway.simulator.world.accounts.findWaba(tenant.wabaId)!;
    const to = rejected(131009, { details: `bad token ${accessToken} in the request` });
    const answer = await send(gateway, tenant, templateTo(to), { query: '?sync=true' });
    assertError(answer, 422, 'SEND_FAILED');
    assert.ok(!answer.text.includes(accessToken), answer.text);
  });

  it('does not reject free-form text that the upstream accepts', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const answer = await send(gateway, tenant, textTo(to), { query: '?sync=true' });
    assert.equal(answer.status, 200, answer.text);
    const message = await readMessage(gateway, tenant, answer.json.messages[0].id);
    assert.equal('error_code' in message, false);
    assert.equal((await call(gateway, tenant, 'GET', `/v1/messages/${message.id}`)).status, 200);
  });
});
