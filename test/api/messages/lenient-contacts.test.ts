import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, createTenant, send, sendsTo, until, writtenRecipient } from '../../harness/tenant.ts';

const CARD = [{ name: { formatted_name: 'Ada', first_name: 'Ada' }, phones: [{ phone: '+12025550123' }] }];

describe('`contacts` as a text', () => {
  const gateway = useGateway();
  const strict = useTenant(gateway);

  const body = (to: string, contacts: unknown) => ({ messaging_product: 'whatsapp', to, type: 'contacts', contacts });

  it('organization without the setting → 400 that names it', async () => {
    const answer = await send(gateway, strict, body('+12025550123', JSON.stringify(CARD)));
    assertError(answer, 400, 'VALIDATION_ERROR');
    assert.match(answer.json.message, /"contacts_as_text"/);
  });

  it('organization with the setting → forwarded as sent; a text without a list → 400', async () => {
    const tenant = await createTenant(gateway);
    await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { contacts_as_text: true });
    const to = await writtenRecipient(gateway, tenant);
    const sent = body(to, JSON.stringify(CARD));
    assert.equal((await send(gateway, tenant, sent)).status, 202);
    const forwarded = await until('the platform is asked', () => sendsTo(gateway, to)[0]);
    assert.deepEqual(JSON.parse(String(forwarded.body)), sent);
    for (const text of ['', '[]', '{}', 'Ada', '[']) {
      const answer = await send(gateway, tenant, body(to, text));
      assertError(answer, 400, 'VALIDATION_ERROR');
      assert.doesNotMatch(answer.json.message, /contacts_as_text/);
    }
  });
});
