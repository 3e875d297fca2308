import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lockTemplates } from '../../../src/templates/follow/change-queries.ts';
import { requestLooks } from '../../../src/templates/follow/poll-queries.ts';
import { firstLooks } from '../../../src/templates/follow/review-schedule.ts';
import { noteTemplateRefused } from '../../../src/templates/index.ts';
import { storeTemplates } from '../../../src/templates/queries.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { untilWaiting } from '../../harness/lock-waits.ts';
import {
  admin,
  createTenant,
  freshRecipient,
  readMessage,
  send,
  sendTemplate,
  type Tenant,
  templateTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import { templateNode } from '../../harness/upstream-waba.ts';

describe('a template the upstream refuses at a send', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  const idOf = ({ wabaId }: Pick<Tenant, 'wabaId'>, name: string) =>
    gateway.simulator.world.accounts.findTemplateByName(wabaId, name, 'en_US')?.id ?? '';

  it('is not sendable after a refusal as paused, even without a webhook', async () => {
    const known = gateway.simulator.world.accounts.findTemplateByName(tenant.wabaId, 'spring_sale', 'en_US');
    assert.ok(known);
    known.status = 'PAUSED';
    const refused = await send(gateway, tenant, templateTo(freshRecipient()), { query: '?sync=true' });
    assert.equal(refused.status, 422, refused.text);
    assert.equal(refused.json.error.code, 132015);
    const later = await until('acceptance refuses the template', async () => {
      const answer = await send(gateway, tenant, templateTo(freshRecipient()));
      return answer.status === 403 ? answer : undefined;
    });
    assert.equal(later.json.code, 'TEMPLATE_NOT_APPROVED');
  });

  it('is recorded, beside missing ones, while a webhook reports the same', async () => {
    const { db } = gateway.app;
    const { organizationId, wabaId } = await createTenant(gateway);
    const template = gateway.simulator.world.accounts.findTemplateByName(wabaId, 'spring_sale', 'en_US');
    assert.ok(template);
    const refusal = {
      organizationId,
      wabaId,
      name: 'spring_sale',
      language: 'en_US',
      code: '132015',
      begunAt: new Date(),
    };
    const { noted } = await db.transaction(async (tx) => {
      await lockTemplates(tx, [{ organizationId, wabaId, id: template.id }]);
      const refusals = [refusal, { ...refusal, code: '132001' }];
      const noted = db.transaction((other) => noteTemplateRefused(other, refusals, Date.now()));
      await untilWaiting(db);
      await requestLooks(tx, firstLooks([{ organizationId, wabaId, status: 'PAUSED' }], Date.now()), Date.now());
      return { noted };
    });
    await noted;
    const [stored] = await db.query<{ status: string }>({
      text: 'SELECT status FROM template WHERE organization_id = $1 AND id = $2',
      values: [organizationId, template.id],
    });
    assert.equal(stored?.status, 'PAUSED');
  });

  for (const [what, tell] of [
    ['the template was read again', (waba: Tenant) => admin(gateway, 'POST', `/wabas/${waba.wabaId}/sync`)],
    [
      'a webhook told that it is approved',
      (waba: Tenant) => gateway.simulator.world.setTemplateStatus(idOf(waba, 'spring_sale'), { status: 'APPROVED' }),
    ],
  ] as const) {
    it(`is not paused by a late refusal: ${what} since the attempt began → it can be sent`, async () => {
      const sender = await createTenant(gateway);
      const { phoneNumberId } = sender;
      const { world } = gateway.simulator;
      const refuse = async (name: string, delayMs: number) => {
        world.addFault({ fault: { kind: 'slow', delayMs }, scope: { phoneNumberId }, times: 1 });
        world.addFault({ fault: { kind: 'error', code: 132015 }, scope: { phoneNumberId }, times: 1 });
        const to = freshRecipient();
        const id = await sendTemplate(gateway, sender, to, name);
        await world.sends.waitFor((sent) => sent.to === to);
        return id;
      };
      const late = await refuse('spring_sale', 1_000);
      assert.equal((await readMessage(gateway, sender, late)).status, 'queued');
      await tell(sender);
      await untilStatus(gateway, sender, late, 'failed');
      // Refusals are noted in their order.
      await refuse('greeting', 0);
      await until('the next refusal is noted', async () => {
        const answer = await send(gateway, sender, templateTo(freshRecipient(), 'greeting'));
        return answer.status === 403 || undefined;
      });
      assert.equal((await send(gateway, sender, templateTo(freshRecipient()))).status, 202);
    });
  }

  it('late refusal: a reading begins after the attempt → no longer counts as paused', async () => {
    const { db } = gateway.app;
    const { organizationId, wabaId } = await createTenant(gateway);
    const waba = { organizationId, wabaId };
    const [attemptMs, readAtMs, notedAtMs] = [2_000, 1_000, 0].map((agoMs) => Date.now() + 60_000 - agoMs);
    const template = templateNode({ name: 'spring_sale', language: 'en_US' });
    const named = { ...waba, name: template.name, language: template.language };
    const refusal = { ...named, code: '132015', begunAt: new Date(attemptMs ?? 0) };
    const statusNow = async () => {
      const [stored] = await db.query<{ status: string }>({
        text: `SELECT status FROM template WHERE organization_id = $1 AND name = 'spring_sale'`,
        values: [organizationId],
      });
      return stored?.status;
    };
    await db.transaction((tx) => noteTemplateRefused(tx, [refusal], notedAtMs ?? 0));
    assert.equal(await statusNow(), 'PAUSED');
    const reading = [{ ...template, id: idOf({ wabaId }, 'spring_sale') }];
    await db.transaction((tx) => storeTemplates(tx, waba, reading, readAtMs ?? 0));
    assert.equal(await statusNow(), 'APPROVED');
  });
});
