import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import { admin, createTenant, freshRecipient, send, sendNow, type Tenant, templateTo } from '../../harness/tenant.ts';

describe('a `to` without its plus', () => {
  let gateway: Gateway;
  let lenient: Tenant;
  let strict: Tenant;
  before(async () => {
    gateway = await startGateway();
    lenient = await createTenant(gateway);
    strict = await createTenant(gateway);
    await admin(gateway, 'PATCH', `/organizations/${lenient.organizationId}`, { to_without_plus: true });
  });
  after(() => gateway.stop());

  it('organization without the setting → 400 that names both ways out', async () => {
    const answer = await send(gateway, strict, templateTo(freshRecipient().slice(1)));
    assertError(answer, 400, 'VALIDATION_ERROR');
    assert.match(answer.json.message, /"phone_numbers".*"e164"/);
    assert.match(answer.json.message, /"to_without_plus"/);
  });

  it('any other fault of `to` → 400 that names no setting', async () => {
    for (const tenant of [strict, lenient]) {
      for (const to of ['', '+', '0123456789', '12345', '+1555 x', ' 15551230001', 15551230001]) {
        const answer = await send(gateway, tenant, { ...templateTo(''), to });
        assertError(answer, 400, 'VALIDATION_ERROR');
        assert.doesNotMatch(answer.json.message, /to_without_plus/);
      }
    }
  });

  it('organization with the setting → accepted, forwarded as sent, shown as sent', async () => {
    const to = freshRecipient();
    const bare = `${to.slice(1, 5)}-${to.slice(5)}`;
    const { id, contacts } = await sendTo(bare);
    assert.deepEqual(contacts, [{ input: bare, wa_id: to.slice(1) }]);
    const sent = await gateway.simulator.world.sends.waitFor((one) => one.waId === to.slice(1));
    assert.equal(JSON.parse(String(sent.body)).to, bare);
    const shown = await fetch(`${gateway.baseUrl}/v1/messages/${id}`, {
      headers: { authorization: `Bearer ${lenient.apiKey}` },
    });
    assert.equal(((await shown.json()) as { recipient_phone: string }).recipient_phone, to.slice(1));
  });

  it('both spellings of a number → one person, also in the answers with `e164`', async () => {
    await admin(gateway, 'PATCH', `/organizations/${lenient.organizationId}`, { phone_numbers: 'e164' });
    const to = freshRecipient();
    for (const spelling of [to, to.slice(1)]) {
      assert.deepEqual((await sendTo(spelling)).contacts, [{ input: to, wa_id: to }]);
    }
    await sendNow(gateway, lenient, to);
  });

  async function sendTo(to: string) {
    const answer = await send(gateway, lenient, templateTo(to));
    assert.equal(answer.status, 202, answer.text);
    return { id: answer.json.messages[0].id as string, contacts: answer.json.contacts };
  }
});
