import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pino from 'pino';
import { readOnboardings } from '../../../src/accounts/index.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { TemplateSeed } from '../../../src/simulator/index.ts';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  admin,
  askAdmin,
  call,
  freshRecipient,
  pause,
  readMessage,
  resume,
  send,
  sendsTo,
  type Tenant,
  templateTo,
  textTo,
  until,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

const TEMPLATES: TemplateSeed[] = [
  { name: 'spring_sale', language: 'en_US', category: 'MARKETING' },
  { name: 'summer_sale', language: 'en_US', category: 'MARKETING' },
  { name: 'receipt', language: 'en_US', category: 'UTILITY' },
];

describe('marketing templates', () => {
  const gateway = useGateway();
  const onboarded = useTenant(gateway, { templates: TEMPLATES });
  const other = useTenant(gateway, { templates: TEMPLATES });

  /** Sets members of an account at the platform, and reads the account. */
  async function setAccount({ wabaId }: Tenant, attributes: Record<string, unknown>): Promise<void> {
    gateway.simulator.world.updateWaba(wabaId, { attributes });
    await admin(gateway, 'POST', `/wabas/${wabaId}/sync`);
  }
  const onboard = (tenant: Tenant) => setAccount(tenant, { marketing_messages_onboarding_status: 'ONBOARDED' });
  const setting = (tenant: Tenant, value: string | null) =>
    admin<{ marketing_messages: unknown }>(gateway, 'PATCH', `/wabas/${tenant.wabaId}`, { marketing_messages: value });

  /** Sends a body; returns the message once it has ended, and the edges and outcomes of its requests. */
  async function sendAndFollow(tenant: Tenant, body: unknown, to: string) {
    const answer = await send(gateway, tenant, body);
    assert.equal(answer.status, 202, answer.text);
    const message = await untilStatus(
      gateway,
      tenant,
      answer.json.messages[0].id,
      'sent',
      'delivered',
      'read',
      'failed',
    );
    return { message, ...requestsTo(to) };
  }
  function requestsTo(to: string) {
    const sends = sendsTo(gateway, to);
    return {
      roads: sends.map(({ road }) => road),
      bodies: sends.map(({ body }) => body.toString()),
      codes: sends.map(({ outcome }) => ('code' in outcome ? outcome.code : outcome.kind)),
    };
  }
  const template = (to: string, name: string, extra = {}) => ({ ...templateTo(to, name), ...extra });
  async function roadOf(tenant: Tenant, name = 'spring_sale') {
    const to = freshRecipient();
    return (await sendAndFollow(tenant, template(to, name), to)).roads;
  }

  it('auto: onboarded → /marketing_messages, same bytes; another tenant → /messages', async () => {
    await onboard(onboarded);
    const to = freshRecipient();
    const body = ` ${JSON.stringify({ ...template(to, 'spring_sale'), messaging_product: 'whatsapp', product_policy: 'STRICT' })}\n`;
    const { message, roads, bodies } = await sendAndFollow(onboarded, body, to);
    assert.deepEqual([roads, bodies], [['marketing_messages'], [body]]);
    const { id } = await untilStatus(gateway, onboarded, message.id, 'delivered', 'read');
    assert.equal((await readMessage(gateway, onboarded, id)).conversation_category, 'marketing_lite');
    assert.deepEqual(await roadOf(onboarded, 'receipt'), ['messages']);
    assert.deepEqual(await roadOf(other), ['messages']);
    const text = await writtenRecipient(gateway, onboarded);
    assert.deepEqual((await sendAndFollow(onboarded, textTo(text, 'a "template"'), text)).roads, ['messages']);
  });

  it('settings: account before organization, shown to operators, unknown account → 404', async () => {
    const organization = `/organizations/${onboarded.organizationId}`;
    assert.deepEqual((await setting(onboarded, 'off')).marketing_messages, {
      ...{ setting: 'off', in_force: 'off', onboarding_status: 'ONBOARDED' },
    });
    assert.deepEqual(await roadOf(onboarded), ['messages']);
    await setting(onboarded, null);
    await admin(gateway, 'PATCH', organization, { marketing_messages: 'off' });
    assert.deepEqual(await roadOf(onboarded), ['messages']);
    await setting(onboarded, 'on');
    assert.deepEqual(await roadOf(onboarded), ['marketing_messages']);
    const [listed] = (await admin<{ data: { marketing_messages: unknown }[] }>(gateway, 'GET', `${organization}/wabas`))
      .data;
    assert.deepEqual(listed?.marketing_messages, { setting: 'on', in_force: 'on', onboarding_status: 'ONBOARDED' });
    await setting(onboarded, null);
    await admin(gateway, 'PATCH', organization, { marketing_messages: 'auto' });
    const unknown = await askAdmin(gateway, 'PATCH', '/wabas/7999', { marketing_messages: 'on' });
    assertError(unknown, 404, 'NOT_FOUND', unknown.json.error.code);
  });

  it('category moves while a message waits → the completed one decides, not the announced', async () => {
    const { world } = gateway.simulator;
    const moving = world.addTemplate(onboarded.wabaId, { name: 'moving', language: 'en_US', category: 'UTILITY' });
    await pause(gateway, onboarded);
    const to = freshRecipient();
    const answer = await send(gateway, onboarded, template(to, 'moving'));
    const identity = {
      message_template_id: moving.id,
      message_template_name: 'moving',
      message_template_language: 'en_US',
    };
    await world.announce(onboarded.wabaId, 'template_category_update', {
      ...{ ...identity, correct_category: 'MARKETING', new_category: 'UTILITY', previous_category: 'UTILITY' },
    });
    await resume(gateway, onboarded);
    const { id } = answer.json.messages[0];
    await untilStatus(gateway, onboarded, id, 'delivered', 'read');
    assert.deepEqual(requestsTo(to).roads, ['messages']);
    await world.setTemplateCategory(moving.id, 'MARKETING');
    await until('the move is known', async () =>
      (await roadOf(onboarded, 'moving'))[0] === 'messages' ? undefined : true,
    );
  });

  it('131063 at /messages under auto → the message and later ones go to /marketing_messages', async () => {
    const { world } = gateway.simulator;
    const attributes = {
      disable_marketing_messages_on_cloud_api: true,
      marketing_messages_onboarding_status: 'ONBOARDED',
    };
    world.updateWaba(other.wabaId, { attributes });
    const to = freshRecipient();
    const { message, roads, codes } = await sendAndFollow(other, template(to, 'spring_sale'), to);
    assert.deepEqual(
      [roads, codes],
      [
        ['messages', 'marketing_messages'],
        [131063, 'accepted'],
      ],
    );
    assert.notEqual(message.status, 'failed');
    assert.deepEqual(await roadOf(other, 'summer_sale'), ['marketing_messages']);
    await setting(other, 'off');
    const refused = freshRecipient();
    const off = await sendAndFollow(other, template(refused, 'spring_sale'), refused);
    assert.deepEqual([off.message.status, off.message.error_code, off.roads], ['failed', '131063', ['messages']]);
    await setting(other, null);
    await setAccount(other, {
      disable_marketing_messages_on_cloud_api: false,
      marketing_messages_onboarding_status: 'ELIGIBLE',
    });
    assert.deepEqual(await roadOf(other), ['messages'], 'a reading ends what the refusal taught');
  });

  for (const code of [131055, 134100, 134102]) {
    it(`${code} at /marketing_messages → auto: /messages; STRICT, on, and a choice: failed`, async () => {
      const { world } = gateway.simulator;
      await onboard(onboarded);
      const refuse = (to: string, times = 1) =>
        world.addFault({
          fault: { kind: 'error', code },
          scope: { endpoint: 'marketing_messages', recipient: to.slice(1) },
          times,
        });
      const strict = freshRecipient();
      refuse(strict);
      const stands = await sendAndFollow(
        onboarded,
        template(strict, 'summer_sale', { product_policy: 'STRICT' }),
        strict,
      );
      assert.deepEqual([stands.message.error_code, stands.roads], [String(code), ['marketing_messages']]);
      const to = freshRecipient();
      refuse(to);
      const { message, roads } = await sendAndFollow(onboarded, template(to, 'summer_sale'), to);
      assert.notEqual(message.status, 'failed');
      assert.deepEqual(roads, ['marketing_messages', 'messages']);
      assert.deepEqual(await roadOf(onboarded, 'summer_sale'), ['messages'], 'remembered for the template');
      assert.deepEqual(await roadOf(onboarded, 'spring_sale'), ['marketing_messages'], 'but for no other');
      const chosen = freshRecipient();
      refuse(chosen);
      const path = `/v1/${onboarded.phoneNumberId}/marketing_messages`;
      const answer = await call(gateway, onboarded, 'POST', path, { body: template(chosen, 'summer_sale') });
      assert.equal(
        (await untilStatus(gateway, onboarded, answer.json.messages[0].id, 'failed')).error_code,
        String(code),
      );
      await setting(onboarded, 'on');
      const always = freshRecipient();
      refuse(always);
      const failed = await sendAndFollow(onboarded, template(always, 'spring_sale'), always);
      assert.deepEqual([failed.message.error_code, failed.roads], [String(code), ['marketing_messages']]);
      await setting(onboarded, null);
    });
  }

  it('answer lost at /marketing_messages → settled by its status, one copy', async () => {
    await onboard(onboarded);
    const to = freshRecipient();
    gateway.simulator.world.addFault({ fault: { kind: 'reset_after' }, scope: { recipient: to.slice(1) }, times: 1 });
    const { message, roads } = await sendAndFollow(onboarded, template(to, 'spring_sale'), to);
    assert.notEqual(message.status, 'failed');
    assert.deepEqual(roads, ['marketing_messages']);
  });

  it('POST /marketing_messages: any version → queued, whatever the setting; key replayed', async () => {
    await setting(onboarded, 'off');
    for (const prefix of ['/v1', '/v24.0', '']) {
      const to = freshRecipient();
      const path = `${prefix}/${onboarded.phoneNumberId}/marketing_messages`;
      const request = { body: template(to, 'spring_sale'), headers: { 'idempotency-key': `chosen ${to}` } };
      const answer = await call(gateway, onboarded, 'POST', path, request);
      assert.equal(answer.status, 202, answer.text);
      const { id } = answer.json.messages[0];
      await untilStatus(gateway, onboarded, id, 'delivered', 'read');
      assert.deepEqual(requestsTo(to).roads, ['marketing_messages']);
      const again = await call(gateway, onboarded, 'POST', path, request);
      assert.equal(again.json.messages[0].id, id);
    }
    await setting(onboarded, null);
  });

  it('POST /marketing_messages: other type, category or call → 400 that names /messages', async () => {
    const to = freshRecipient();
    const path = `/v1/${onboarded.phoneNumberId}/marketing_messages`;
    for (const body of [textTo(to), template(to, 'receipt'), { status: 'read', message_id: 'wamid.x' }]) {
      const refused = await call(gateway, onboarded, 'POST', path, { body });
      assertError(refused, 400, 'VALIDATION_ERROR', refused.json.error.code);
      assert.match(refused.json.message, /to \/messages/);
    }
    const foreign = await call(gateway, other, 'POST', path, { body: template(to, 'spring_sale') });
    assertError(foreign, 404, 'ACCOUNT_NOT_FOUND', foreign.json.error.code);
    assert.deepEqual(requestsTo(to).roads, []);
  });

  it('webhook about accepted terms → the admission is read at the next turn', async (t) => {
    const { simulator, connectionString } = gateway;
    const db = openDatabase({ connectionString, connectionsMax: 1, onIdleError() {} });
    t.after(() => db.close());
    const asked: string[] = [];
    const deps = {
      ...{
        db,
        log: pino({ level: 'silent' }),
        accounts: { tokenOf: () => ({ token: 't', version: 1, readAt: null }) },
      },
      upstream: {
        readOnboarding: async (wabaId: string) => {
          asked.push(wabaId);
          return { kind: 'ok', value: { status: 'ONBOARDED' } } as const;
        },
      },
    };
    await readOnboardings(deps);
    asked.length = 0;
    await simulator.world.announce(other.wabaId, 'account_update', { event: 'MM_LITE_TERMS_SIGNED' });
    await until('the reading is due', async () => {
      await readOnboardings(deps);
      return asked.length > 0 || undefined;
    });
    assert.deepEqual(asked, [other.wabaId]);
    await until('the admission is in force', async () => ((await roadOf(other))[0] === 'messages' ? undefined : true));
  });
});
