import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { createOperator } from '../../harness/operator.ts';
import {
  call,
  freshRecipient,
  issueKey,
  send,
  sendsTo,
  type Tenant,
  until,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

describe('the body of a message', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  const bodyOf = (id: string, caller: Pick<Tenant, 'apiKey'> = tenant, headers: Record<string, string> = {}) =>
    call(gateway, caller, 'GET', `/v1/messages/${id}/body`, { headers });

  async function sent(text: string): Promise<string> {
    const answer = await send(gateway, tenant, text);
    assert.equal(answer.status, 202, answer.text);
    return answer.json.messages[0].id;
  }

  it('a send with unusual spelling → the bytes that the platform got, as JSON', async () => {
    const to = freshRecipient();
    const text = `{"messaging_product":"whatsapp", "extra":12345678901234567890,\r\n"to":"${to}","type":"template","template":{"name":"spring_sale","language":{"code":"en_US"},"x":"\\u00e9 é <b>"}}\n`;
    const id = await sent(text);
    const answer = await bodyOf(id);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, text);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    await untilStatus(gateway, tenant, id, 'sent', 'delivered', 'read');
    assert.equal(String(sendsTo(gateway, to)[0]?.body), answer.text);
  });

  it('a message of a person → the object of the platform as it arrived', async () => {
    const from = freshRecipient();
    await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from, text: 'Hello <b>there</b>' });
    const id = await until('the message is stored', async () => {
      const { json } = await call(gateway, tenant, 'GET', `/v1/messages?recipient=${from.slice(1)}`);
      return json.data[0]?.id as string | undefined;
    });
    assert.deepEqual((await bodyOf(id)).json.text, { body: 'Hello <b>there</b>' });
  });

  it('another tenant, an unknown id → 404; not a UUID → 400; another scope → 403', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const id = await sent(`{"messaging_product":"whatsapp","to":"${to}","type":"text","text":{"body":"Hi"}}`);
    assertError(await bodyOf(id, other), 404, 'NOT_FOUND');
    assertError(await bodyOf('0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30'), 404, 'NOT_FOUND');
    assertError(await bodyOf('abc'), 400, 'INVALID_ID');
    const { key } = await issueKey(gateway, tenant, { scopes: ['webhooks'] });
    assertError(await bodyOf(id, { apiKey: key }), 403, 'FORBIDDEN');
  });

  it('support → every text masked, kinds kept; an operator → the bytes', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const text = `{"messaging_product":"whatsapp","to":"${to}","type":"interactive","interactive":{"type":"button","body":{"text":"secret 1"},"action":{"buttons":[{"type":"reply","reply":{"id":"a","title":"secret 2"}}]}}}`;
    const id = await sent(text);
    const headers = { 'fairway-organization': tenant.organizationId };
    const [support, operator] = await Promise.all([
      createOperator(gateway, 'support'),
      createOperator(gateway, 'operator'),
    ]);
    const masked = await bodyOf(id, { apiKey: support.token }, headers);
    assert.equal(masked.status, 200, masked.text);
    assert.doesNotMatch(masked.text, /secret/);
    assert.ok(!masked.text.includes(to.slice(1)));
    assert.equal(masked.json.interactive.type, 'button');
    assert.equal((await bodyOf(id, { apiKey: operator.token }, headers)).text, text);
  });

  it('after the erasure of the person → {}', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const id = await sent(`{"messaging_product":"whatsapp","to":"${to}","type":"text","text":{"body":"Hi"}}`);
    const erasure = await call(gateway, tenant, 'DELETE', `/v1/people/${to.slice(1)}`);
    await until('the person is erased', async () => {
      const { json } = await call(gateway, tenant, 'GET', `/v1/erasures/${erasure.json.id}`);
      return json.status === 'done' ? true : undefined;
    });
    assert.equal((await bodyOf(id)).text, '{}');
  });
});
