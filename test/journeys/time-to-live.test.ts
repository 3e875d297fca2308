import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFastClock } from '../harness/fast-clock.ts';
import { useGateway } from '../harness/fixtures.ts';
import {
  type Answer,
  admin,
  call,
  createTenant,
  DEFAULT_TEMPLATES,
  freshRecipient,
  pause,
  readMessage,
  resume,
  send,
  sendTemplate,
  type Tenant,
  templateTo,
  textTo,
  until,
  untilStatus,
  writtenRecipient,
} from '../harness/tenant.ts';

const [, , CODE] = DEFAULT_TEMPLATES;
const DAY_SECONDS = 86_400;

/** A template that can be sent without parameters, with a time to live. */
const templateOf = (name: string, category: string, message_send_ttl_seconds?: unknown) => ({
  ...{ name, language: 'en_US', category },
  ...(category === 'AUTHENTICATION' && { components: CODE?.components ?? [] }),
  attributes: message_send_ttl_seconds === undefined ? {} : { message_send_ttl_seconds },
});

const oneTimeCode = (to: string, name: string) =>
  templateTo(to, name, {
    components: [
      { type: 'body', parameters: [{ type: 'text', text: '482913' }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '482913' }] },
    ],
  });

describe('the time to live of a message', () => {
  const clock = createFastClock(20);
  const gateway = useGateway({ clock });

  const accepted = (answer: Answer): string => {
    assert.equal(answer.status, 202, answer.text);
    return answer.json.messages[0].id;
  };
  /** Seconds between a waiting message's acceptance and its end, a moment for its storage aside. */
  const secondsOf = async (tenant: Tenant, id: string) => {
    const { json } = await call(gateway, tenant, 'GET', `/v1/messages/${id}/timeline`);
    const { created_at } = await readMessage(gateway, tenant, id);
    return Math.round((Date.parse(json.waiting.expires_at) - Date.parse(created_at)) / 10_000) * 10;
  };
  const attemptsOf = ({ phoneNumberId }: Tenant) => gateway.simulator.world.sends.list({ phoneNumberId });

  it('message_send_ttl_seconds: passed while queued → EXPIRED, never sent; a neighbour waits', async () => {
    const templates = [templateOf('short_code', 'AUTHENTICATION', 60), templateOf('long_code', 'AUTHENTICATION', 900)];
    const tenant = await createTenant(gateway, { templates });
    const neighbour = await createTenant(gateway, { templates: [templateOf('short_code', 'AUTHENTICATION', 900)] });
    for (const each of [tenant, neighbour]) await pause(gateway, each);
    const stale = accepted(await send(gateway, tenant, oneTimeCode(freshRecipient(), 'short_code')));
    const fresh = accepted(await send(gateway, tenant, oneTimeCode(freshRecipient(), 'long_code')));
    const foreign = accepted(await send(gateway, neighbour, oneTimeCode(freshRecipient(), 'short_code')));
    const message = await untilStatus(gateway, tenant, stale, 'failed');
    assert.equal(message.error_code, 'EXPIRED');
    assert.equal(message.sent_at, null);
    for (const each of [tenant, neighbour]) await resume(gateway, each);
    await untilStatus(gateway, tenant, fresh, 'sent', 'delivered', 'read');
    await untilStatus(gateway, neighbour, foreign, 'sent', 'delivered', 'read');
    assert.equal(attemptsOf(tenant).length, 1);
    const failures = await until('the event of the failure', async () => {
      const { data } = (await call(gateway, tenant, 'GET', '/v1/events?limit=100')).json;
      const failed = data.filter(({ type }: { type: string }) => type === 'message.failed');
      return failed.length > 0 ? failed : undefined;
    });
    assert.deepEqual(
      failures.map((event: { data: { id: string; error_code: string } }) => [event.data.id, event.data.error_code]),
      [[stale, 'EXPIRED']],
    );
  });

  it('code created here: token refused until it is stale → EXPIRED; a new token sends nothing', async () => {
    const tenant = await createTenant(gateway, { templates: [] });
    const created = await call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/message_templates`, {
      body: {
        ...{ name: 'new_code', language: 'en_US', category: 'AUTHENTICATION' },
        // Escapes that PostgreSQL takes for no text, and names that look like the field's.
        ...{ note: '\u0000\ud800\\ "message_send_ttl_seconds":900', '"message_send_ttl_seconds': 900 },
        ...{ spec: { message_send_ttl_seconds: 900 }, message_send_ttl_seconds: 60 },
        components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }],
      },
    });
    assert.equal(created.status, 200, created.text);
    const id = await until('the template is approved', async () => {
      gateway.simulator.world.rotateToken(tenant.wabaId, 'EAAnext');
      const answer = await send(gateway, tenant, oneTimeCode(freshRecipient(), 'new_code'));
      return answer.status === 202 ? accepted(answer) : undefined;
    });
    assert.equal((await untilStatus(gateway, tenant, id, 'failed')).error_code, 'EXPIRED');
    assert.equal(attemptsOf(tenant).filter(({ outcome }) => outcome.kind === 'accepted').length, 0);
  });

  it('code: the platform answers nothing until it is stale → UNKNOWN_OUTCOME, no second attempt', async () => {
    const tenant = await createTenant(gateway, { templates: [templateOf('lost_code', 'AUTHENTICATION', 30)] });
    const { phoneNumberId } = tenant;
    const to = freshRecipient();
    const { world } = gateway.simulator;
    world.addFault({ fault: { kind: 'reset_after' }, scope: { phoneNumberId }, times: 1 });
    world.addFault({ fault: { kind: 'webhook_lost' }, scope: { phoneNumberId } });
    const id = accepted(await send(gateway, tenant, oneTimeCode(to, 'lost_code')));
    await world.sends.waitFor((sent) => sent.phoneNumberId === phoneNumberId);
    await pause(gateway, tenant);
    assert.equal((await untilStatus(gateway, tenant, id, 'failed')).error_code, 'UNKNOWN_OUTCOME');
    await resume(gateway, tenant);
    assert.equal(attemptsOf(tenant).length, 1);
  });

  it("template: own value, else its category's default → never beyond the organization's", async () => {
    const templates = [
      templateOf('code', 'AUTHENTICATION'),
      templateOf('code_90', 'AUTHENTICATION', 90),
      templateOf('code_text', 'AUTHENTICATION', '90'),
      templateOf('code_month', 'AUTHENTICATION', -1),
      templateOf('update', 'UTILITY'),
      templateOf('update_3600', 'UTILITY', 3_600),
      templateOf('update_odd', 'UTILITY', { of: 5 }),
      templateOf('offer', 'MARKETING'),
      templateOf('offer_43200', 'MARKETING', 43_200),
    ];
    const tenant = await createTenant(gateway, { templates });
    await pause(gateway, tenant);
    const found: Record<string, number> = {};
    for (const { name } of templates) {
      const id = accepted(await send(gateway, tenant, templateTo(freshRecipient(), name, { components: [] })));
      found[name] = await secondsOf(tenant, id);
    }
    assert.deepEqual(found, {
      ...{ code: 600, code_90: 90, code_text: 90, code_month: DAY_SECONDS },
      ...{ update: DAY_SECONDS, update_3600: 3_600, update_odd: DAY_SECONDS },
      ...{ offer: DAY_SECONDS, offer_43200: 43_200 },
    });
    await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { message_ttl_seconds: 300 });
    const hasty = accepted(
      await send(gateway, tenant, templateTo(freshRecipient(), 'update_3600', { components: [] })),
    );
    assert.equal(await secondsOf(tenant, hasty), 300);
  });

  it('template: changed elsewhere and synced → its value when the message is accepted', async () => {
    const tenant = await createTenant(gateway);
    await pause(gateway, tenant);
    const template = gateway.simulator.world.addTemplate(tenant.wabaId, templateOf('elsewhere', 'UTILITY', 120));
    const first = await sendTemplate(gateway, tenant, freshRecipient(), 'elsewhere');
    template.attributes.message_send_ttl_seconds = 240;
    await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    const second = await sendTemplate(gateway, tenant, freshRecipient(), 'elsewhere');
    assert.deepEqual([await secondsOf(tenant, first), await secondsOf(tenant, second)], [120, 240]);
  });

  it('other types: ttl_seconds in the body → applied', async () => {
    const tenant = await createTenant(gateway);
    const to = await writtenRecipient(gateway, tenant);
    await pause(gateway, tenant);
    const seconds: number[] = [];
    for (const extra of [
      {},
      { category: 'utility', ttl_seconds: 60 },
      { category: 'authentication', ttl_seconds: 120 },
      { category: 'authentication' },
      { category: 'utility', ttl_seconds: '60s' },
    ]) {
      const id = accepted(await send(gateway, tenant, { ...textTo(to), ...extra }));
      seconds.push(await secondsOf(tenant, id));
    }
    assert.deepEqual(seconds, [DAY_SECONDS, 60, 120, 600, DAY_SECONDS]);
  });
});
