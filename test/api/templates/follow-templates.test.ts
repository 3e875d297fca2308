import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { noteTemplateRefused } from '../../../src/templates/index.ts';
import { assertError } from '../../harness/assert-error.ts';
import { pullAll } from '../../harness/events.ts';
import { endBefore, useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, call, freshRecipient, send, templateTo, until } from '../../harness/tenant.ts';
import { nowSeconds, payloadOf, postWebhook } from '../../harness/upstream-webhook.ts';
import { freshName, TEMPLATES } from './template-bodies.ts';

describe('templates follow the upstream', () => {
  let database: pg.Client;
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  before(async () => {
    database = new pg.Client({ connectionString: gateway.connectionString });
    await database.connect();
  });
  endBefore(gateway, () => database.end());

  const world = () => gateway.simulator.world;
  const add = (extra: { name?: string; status?: string; language?: string } = {}, caller = tenant) =>
    world().addTemplate(caller.wabaId, { name: freshName(), language: 'en_US', ...extra });
  const sync = ({ wabaId } = tenant) => admin(gateway, 'POST', `/wabas/${wabaId}/sync`);
  const known = async (extra: { status?: string; language?: string } = {}) => {
    const template = add(extra);
    await sync();
    return template;
  };
  const read = async (id: string, caller = tenant) => (await call(gateway, caller, 'GET', `/v1/templates/${id}`)).json;
  const untilStatus = (id: string, status: string) =>
    until(`template ${id} is ${status}`, async () => ((await read(id)).status === status ? true : undefined));
  const untilSend = (name: string, status: number, code?: string) =>
    until(`a send of ${name} is answered ${status} ${code}`, async () => {
      const answer = await send(gateway, tenant, templateTo(freshRecipient(), name));
      return (answer.status === status && answer.json.code === code) || undefined;
    });
  const silently = async (work: () => Promise<unknown>) => {
    const url = world().settings.webhookUrl;
    world().setWebhookUrl(null);
    try {
      await work();
    } finally {
      world().setWebhookUrl(url);
    }
  };
  const removeUpstream = (name: string) =>
    fetch(`${gateway.simulator.baseUrl}/${tenant.wabaId}/message_templates?name=${name}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${world().accounts.findWaba(tenant.wabaId)?.accessToken}` },
    });
  /** Pretends that the pauses between looks have passed. */
  const makeDue = (extra = '') =>
    database.query(
      `UPDATE template_poll SET due_at = now(), free_at = now(), paid_until = now() ${extra} WHERE waba_id = $1`,
      [tenant.wabaId],
    );
  const tell = (value: Record<string, unknown>, field = 'message_template_status_update', caller = tenant) =>
    postWebhook(gateway, payloadOf(caller, { field, value }));
  /** Posts a webhook as one that could not be delivered for an hour. */
  const tellLate = (value: Record<string, unknown>, field: string) => {
    const payload = payloadOf(tenant, { field, value });
    const entry = (payload.entry as object[]).map((one) => ({ ...one, time: nowSeconds() - 3_600 }));
    return postWebhook(gateway, { ...payload, entry });
  };
  const identity = (template: { id: string; name: string; language: string }) => ({
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language.replace('_', '-'),
  });

  it('a third status in one second equal to the first, like a repeat: learned', async () => {
    const template = await known({ status: 'APPROVED' });
    const time = nowSeconds() + 1;
    const status = (event: string) => ({
      object: 'whatsapp_business_account',
      entry: [
        {
          id: tenant.wabaId,
          time,
          changes: [{ field: 'message_template_status_update', value: { event, ...identity(template), reason: null } }],
        },
      ],
    });
    await silently(() => world().setTemplateStatus(template.id, { status: 'DISABLED' }));
    for (const event of ['DISABLED', 'APPROVED', 'DISABLED']) await postWebhook(gateway, status(event));
    assert.equal((await read(template.id)).status, 'APPROVED');
    await makeDue();
    await untilStatus(template.id, 'DISABLED');
  });

  it('a webhook with a status older than the last read: asks the upstream', async () => {
    const template = await known({ status: 'PAUSED' });
    await tellLate({ event: 'APPROVED', ...identity(template), reason: null }, 'message_template_status_update');
    await makeDue();
    await untilStatus(template.id, 'PAUSED');
  });

  it('a webhook with older category and quality: keeps the newer ones, and asks', async () => {
    const template = await known();
    await world().setTemplateCategory(template.id, 'MARKETING');
    await world().setTemplateQuality(template.id, 'RED');
    await silently(async () => {
      await world().setTemplateCategory(template.id, 'AUTHENTICATION');
      await world().setTemplateQuality(template.id, 'YELLOW');
    });
    const move = { new_category: 'UTILITY', correct_category: 'MARKETING' };
    await tellLate({ ...identity(template), ...move }, 'template_category_update');
    await tellLate({ ...identity(template), new_quality_score: 'GREEN' }, 'message_template_quality_update');
    const late = await read(template.id);
    assert.deepEqual([late.category, late.quality_score], ['MARKETING', 'RED']);
    await makeDue();
    await until('what the platform says counts', async () => {
      const { category, quality_score } = await read(template.id);
      return (category === 'AUTHENTICATION' && quality_score === 'YELLOW') || undefined;
    });
    const moves = (await pullAll(gateway, tenant)).filter(
      ({ type, data }) => type === 'template.category_updated' && data.template_id === template.id,
    );
    assert.deepEqual(
      moves.map(({ data }) => data.category),
      ['MARKETING', 'AUTHENTICATION'],
    );
  });

  it('approved by webhook: sendable; paused, disabled or deleted: not sendable', async () => {
    const template = await known({ status: 'PENDING' });
    await untilSend(template.name, 403, 'TEMPLATE_NOT_APPROVED');
    await world().setTemplateStatus(template.id, { status: 'APPROVED' });
    await untilSend(template.name, 202);
    for (const [status, event] of [
      ['PAUSED', 'REINSTATED'],
      ['DISABLED', 'APPEAL_GRANTED'],
      ['ARCHIVED', 'UNARCHIVED'],
    ] as const) {
      await world().setTemplateStatus(template.id, { status });
      await untilSend(template.name, 403, 'TEMPLATE_NOT_APPROVED');
      await world().setTemplateStatus(template.id, { status: 'APPROVED', event });
      await untilSend(template.name, 202);
    }
    await world().setTemplateStatus(template.id, { status: 'DELETED' });
    await untilSend(template.name, 404, 'TEMPLATE_NOT_FOUND');
  });

  it('the next send uses a status once its webhook is answered', async () => {
    const template = await known();
    const next = async () => (await send(gateway, tenant, templateTo(freshRecipient(), template.name))).status;
    for (let round = 0; round < 5; round += 1) {
      await tell({ ...identity(template), event: 'PAUSED', reason: `${round}` });
      assert.equal(await next(), 403);
      await tell({ ...identity(template), event: 'APPROVED', reason: `${round}` });
      assert.equal(await next(), 202);
    }
  });

  it('keeps a flagged template sendable', async () => {
    const template = await known();
    await tell({ ...identity(template), event: 'FLAGGED', reason: null });
    assert.equal((await read(template.id)).status, 'APPROVED');
  });

  it('shows why a template was rejected', async () => {
    const template = await known({ status: 'PENDING' });
    await world().setTemplateStatus(template.id, { status: 'REJECTED' });
    const record = await read(template.id);
    assert.equal(record.status, 'REJECTED');
    assert.equal(record.rejected_reason, 'INVALID_FORMAT');
    assert.ok(record.rejection_info.recommendation);
  });

  it('follows quality and category', async () => {
    const template = await known();
    await world().setTemplateQuality(template.id, 'YELLOW');
    await world().setTemplateCategory(template.id, 'MARKETING');
    const record = await read(template.id);
    assert.deepEqual([record.quality_score, record.category, record.status], ['YELLOW', 'MARKETING', 'APPROVED']);
    const node = await call(gateway, tenant, 'GET', `/v24.0/${template.id}?fields=quality_score`);
    assert.deepEqual(node.json.quality_score, { score: 'YELLOW', date: template.qualityScoreAt });
  });

  it('applies several changes of one payload in their order', async () => {
    const template = await known();
    const event = (name: string) => ({
      field: 'message_template_status_update',
      value: { ...identity(template), event: name },
    });
    await postWebhook(gateway, payloadOf(tenant, event('PAUSED'), event('APPROVED'), event('DISABLED')));
    assert.equal((await read(template.id)).status, 'DISABLED');
  });

  it('finds a template without an id by its name and its hyphenated language', async () => {
    const template = await known();
    const { message_template_id: _, ...named } = identity(template);
    await tell({ ...named, event: 'PAUSED' });
    assert.equal((await read(template.id)).status, 'PAUSED');
  });

  it("another organization's template: unchanged, whatever the payload says", async () => {
    const template = add({}, other);
    await sync(other);
    await tell({ ...identity(template), event: 'DISABLED' }, undefined, tenant);
    await tell({ ...identity(template), event: 'DISABLED' }, undefined, { ...tenant, wabaId: '31337' });
    assert.equal((await read(template.id, other)).status, 'APPROVED');
  });

  it('webhooks about unknown templates: the templates are read', async () => {
    const template = add({ status: 'PENDING' });
    await world().setTemplateStatus(template.id, { status: 'APPROVED' });
    await untilStatus(template.id, 'APPROVED');
  });

  it('changed components: read again, even those kept as sent', async () => {
    const body = { ...TEMPLATES.positional, name: freshName() };
    const created = await call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/templates`, { body });
    await untilStatus(created.json.id, 'APPROVED');
    const template = world().accounts.findTemplate(created.json.id);
    assert.ok(template);
    template.components = [{ type: 'BODY', text: 'Edited elsewhere by someone.' }];
    await tell(
      { ...identity(template), message_template_element: 'Edited elsewhere by someone.' },
      'message_template_components_update',
    );
    await until('the new text is known', async () => {
      const { components } = await read(template.id);
      return components[0].text === 'Edited elsewhere by someone.' || undefined;
    });
  });

  it('a template made elsewhere: found at its first use', async () => {
    const template = add();
    await untilSend(template.name, 202);
    assert.equal((await read(template.id)).status, 'APPROVED');
  });

  it('a language added elsewhere: found at its first use, although the name is known', async () => {
    const { name } = await known();
    add({ name, language: 'de' });
    const answer = await send(gateway, tenant, templateTo(freshRecipient(), name, { language: { code: 'de' } }));
    assert.equal(answer.status, 202);
  });

  it('a template made elsewhere: found for all its concurrent users', async () => {
    const { name } = add();
    const sends = Array.from({ length: 10 }, () => send(gateway, tenant, templateTo(freshRecipient(), name)));
    assert.deepEqual(new Set((await Promise.all(sends)).map(({ status }) => status)), new Set([202]));
  });

  it('a template deleted right after it was found: not sent', async () => {
    const { name } = add();
    await untilSend(name, 202);
    const path = `/v1/${tenant.wabaId}/message_templates?name=${name}`;
    assert.equal((await call(gateway, tenant, 'DELETE', path)).status, 200);
    assertError(await send(gateway, tenant, templateTo(freshRecipient(), name)), 404, 'TEMPLATE_NOT_FOUND');
  });

  it('a template that cannot be looked up: 503, not 404', async () => {
    const { name } = add();
    const scope = { endpoint: 'templates', wabaId: tenant.wabaId } as const;
    world().addFault({ fault: { kind: 'error', code: 80008 }, scope, times: 1 });
    const answer = await send(gateway, tenant, templateTo(freshRecipient(), name));
    assertError(answer, 503, 'UNAVAILABLE');
    assert.equal(answer.headers.get('retry-after'), '5');
  });

  it('an approval without a webhook: learned by asking', async () => {
    const body = { ...TEMPLATES.positional, name: `${freshName()}_slow` };
    const created = await call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/templates`, { body });
    await silently(() => world().setTemplateStatus(created.json.id, { status: 'APPROVED' }));
    await makeDue();
    await untilSend(body.name, 202);
    assert.deepEqual((await read(created.json.id)).components, body.components, 'components stay as sent');
  });

  it('all templates: read once a day, deletions included', async () => {
    const [changed, gone] = [await known(), await known()];
    await silently(async () => {
      await world().setTemplateStatus(changed.id, { status: 'DISABLED' });
      await removeUpstream(gone.name);
    });
    await makeDue(", fully_read_at = now() - interval '25 hours'");
    await untilStatus(changed.id, 'DISABLED');
    await untilStatus(gone.id, 'DELETED');
    const { rows } = await database.query('SELECT due_at, fully_read_at FROM template_poll WHERE waba_id = $1', [
      tenant.wabaId,
    ]);
    assert.ok(rows[0].due_at.getTime() > Date.now(), 'the next look is not due yet');
    assert.ok(Date.now() - rows[0].fully_read_at.getTime() < 60_000);
  });

  it('a template that the upstream refuses to send: paused until approved again', async () => {
    const template = await known();
    const refusal = {
      organizationId: tenant.organizationId,
      wabaId: tenant.wabaId,
      name: template.name,
      language: 'en_US',
    };
    const note = (code: string) =>
      gateway.app.db.transaction((tx) =>
        noteTemplateRefused(tx, [{ ...refusal, code, begunAt: new Date() }], Date.now()),
      );
    await note('131026');
    assert.equal((await read(template.id)).status, 'APPROVED');
    await note('132015');
    await untilSend(template.name, 403, 'TEMPLATE_NOT_APPROVED');
    assert.equal((await read(template.id)).status, 'PAUSED');
    await makeDue();
    await untilSend(template.name, 202);
    await note('132016');
    assert.equal((await read(template.id)).status, 'DISABLED');
  });

  it('a template deleted elsewhere: learned from a refused send', async () => {
    const template = await known();
    await silently(() => removeUpstream(template.name));
    const answer = await send(gateway, tenant, templateTo(freshRecipient(), template.name), { query: '?sync=true' });
    assert.equal(answer.json.provider_error?.code, 132001, answer.text);
    await makeDue();
    await untilStatus(template.id, 'DELETED');
  });

  it('an unreachable upstream: asked again later, not at once', async () => {
    const template = await known({ status: 'PENDING' });
    const scope = { endpoint: 'templates', wabaId: tenant.wabaId } as const;
    const fault = world().addFault({ fault: { kind: 'error', code: 80008 }, scope });
    await makeDue();
    await until('it was asked', () => fault.hits > 0 || undefined);
    const due = await until('the next look is set', async () => {
      const { rows } = await database.query<{ due_at: Date; free_at: Date }>(
        "SELECT due_at, free_at FROM template_poll WHERE waba_id = $1 AND due_at < now() + interval '9 minutes'",
        [tenant.wabaId],
      );
      return rows[0];
    });
    assert.ok(due.due_at.getTime() > Date.now() + 10_000);
    world().clearFaults(fault.id);
    assert.equal((await read(template.id)).status, 'PENDING');
  });
});
