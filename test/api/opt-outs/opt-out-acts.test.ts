import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { pullAll } from '../../harness/events.ts';
import { useGateway } from '../../harness/fixtures.ts';
import {
  admin,
  call,
  createTenant,
  freshRecipient,
  send,
  sendTemplate,
  type Tenant,
  templateTo,
  until,
} from '../../harness/tenant.ts';

const NOW_SECONDS = Math.floor(Date.now() / 1000);

describe('opt-outs by acts of people', () => {
  const gateway = useGateway();

  const prefers = (tenant: Tenant, person: string, value: string, atSeconds = NOW_SECONDS, more = {}) =>
    gateway.simulator.world.announce(tenant.wabaId, 'user_preferences', {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: tenant.phoneNumber, phone_number_id: tenant.phoneNumberId },
      contacts: [{ profile: { name: 'Ada' }, wa_id: person.slice(1) }],
      user_preferences: [
        { wa_id: person.slice(1), category: 'marketing_messages', value, timestamp: String(atSeconds), ...more },
      ],
    });
  const writes = (tenant: Tenant, from: string, body: string, more = {}) =>
    gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from, content: { body }, ...more });
  const listed = async (tenant: Tenant): Promise<[string, string][]> => {
    const { json } = await call(gateway, tenant, 'GET', '/v1/opt-outs');
    return json.data.map(({ person, source }: { person: string; source: string }) => [`+${person}`, source]);
  };
  const optOutEvents = async (tenant: Tenant) =>
    (await pullAll(gateway, tenant)).filter(({ type }) => type.startsWith('opt_out.'));

  it('user_preferences: stop → opted out, resume → ended; both stay upstream.other', async () => {
    const tenant = await createTenant(gateway);
    const to = freshRecipient();
    await prefers(tenant, to, 'stop');
    assert.deepEqual(await listed(tenant), [[to, 'platform']]);
    assertError(await send(gateway, tenant, templateTo(to)), 403, 'RECIPIENT_OPTED_OUT');
    await prefers(tenant, to, 'resume', NOW_SECONDS + 1);
    assert.deepEqual(await listed(tenant), []);
    await sendTemplate(gateway, tenant, to);
    const events = (await pullAll(gateway, tenant)).filter(({ type }) => !type.startsWith('message.'));
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.phone_number_id, data.person ?? data.field, data.source]),
      [
        ['opt_out.created', tenant.phoneNumberId, to.slice(1), 'platform'],
        ['upstream.other', tenant.phoneNumberId, 'user_preferences', undefined],
        ['opt_out.removed', tenant.phoneNumberId, to.slice(1), 'platform'],
        ['upstream.other', tenant.phoneNumberId, 'user_preferences', undefined],
      ],
    );
  });

  it('user_preferences in any order, repeated: the newest choice holds', async () => {
    const tenant = await createTenant(gateway);
    const [to, other] = [freshRecipient(), freshRecipient()];
    await prefers(tenant, to, 'resume', NOW_SECONDS);
    await prefers(tenant, to, 'stop', NOW_SECONDS - 10);
    await prefers(tenant, other, 'stop', NOW_SECONDS);
    await prefers(tenant, other, 'resume', NOW_SECONDS - 10);
    await prefers(tenant, other, 'stop', NOW_SECONDS, { detail: 'again' });
    assert.deepEqual(await listed(tenant), [[other, 'platform']]);
    assert.deepEqual(
      (await optOutEvents(tenant)).map(({ type, data }) => [type, data.person]),
      [['opt_out.created', other.slice(1)]],
    );
  });

  it('user_preferences of another category or word: no opt-out', async () => {
    const tenant = await createTenant(gateway);
    const to = freshRecipient();
    await prefers(tenant, to, 'stop', NOW_SECONDS, { category: 'news' });
    await prefers(tenant, to, 'pause');
    assert.deepEqual(await listed(tenant), []);
  });

  it('resume of a person that the API opted out: stays opted out', async () => {
    const tenant = await createTenant(gateway);
    const to = freshRecipient();
    const body = { phone_number_id: tenant.phoneNumberId, person: to };
    await prefers(tenant, to, 'stop');
    assert.equal((await call(gateway, tenant, 'POST', '/v1/opt-outs', { body })).status, 200);
    await prefers(tenant, to, 'resume', NOW_SECONDS + 5);
    assert.deepEqual(await listed(tenant), [[to, 'api']]);
  });

  it('stop words off: no opt-out; on: the word alone opts out, in any case and with punctuation', async () => {
    const [tenant, other] = [await createTenant(gateway), await createTenant(gateway)];
    const [before, stop, phrase, sentence, group] = Array.from({ length: 5 }, freshRecipient) as [
      string,
      string,
      string,
      string,
      string,
    ];
    await writes(tenant, before, 'STOP');
    assert.deepEqual(await listed(tenant), []);
    const words = { opt_out_words: ['STOP', 'no more'] };
    await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, words);
    await writes(other, stop, 'stop');
    await writes(tenant, stop, ' Stop! ');
    await writes(tenant, sentence, 'Please stop the car');
    await writes(tenant, group, 'stop', { groupId: 'Y2FwaV9ncm91cDox' });
    await writes(tenant, phrase, 'No  more', { type: 'button', content: { text: 'No  more', payload: 'p' } });
    assert.deepEqual(await listed(tenant), [
      [phrase, 'keyword'],
      [stop, 'keyword'],
    ]);
    assert.deepEqual(await listed(other), []);
    const answer = await until('the send is refused', async () => {
      const sent = await send(gateway, tenant, templateTo(stop));
      return sent.status === 403 ? sent : undefined;
    });
    assertError(answer, 403, 'RECIPIENT_OPTED_OUT');
  });
});
