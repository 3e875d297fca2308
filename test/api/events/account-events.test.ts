import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endPastRestrictions } from '../../../src/accounts/index.ts';
import { currentCursor, type ListedEvent, pullAll, pullPage } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  createTenant,
  freshRecipient,
  queueOf,
  readMessage,
  sendTemplate,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import { nowSeconds, postWebhook } from '../../harness/upstream-webhook.ts';

describe('events of numbers and accounts', () => {
  const gateway = useGateway({ postsOwnWebhooks: true });
  const tenant = useTenant(gateway);
  const stranger = useTenant(gateway);

  let moments = 1_790_000_000;

  async function announce(
    field: string,
    value: Record<string, unknown>,
    wabaId = tenant.wabaId,
  ): Promise<ListedEvent[]> {
    const start = await currentCursor(gateway, tenant);
    moments += 1;
    const payload = {
      object: 'whatsapp_business_account',
      entry: [{ id: wabaId, time: moments, changes: [{ field, value }] }],
    };
    const answer = await postWebhook(gateway, payload);
    assert.equal(answer.status, 200, answer.text);
    return await pullAll(gateway, tenant, start);
  }

  async function numberWhere(
    what: string,
    holds: (number: { parked: { code: string } | null; [name: string]: unknown }) => boolean,
  ) {
    return await until(what, async () => {
      const number = await gateway.app.accounts.findNumber(tenant.organizationId, tenant.phoneNumberId);
      return number !== undefined && holds({ ...number }) ? number : undefined;
    });
  }

  it('report an upgrade, and every node uses the new pace', async () => {
    const display_phone_number = tenant.phoneNumber;
    const events = await announce('phone_number_quality_update', {
      display_phone_number,
      event: 'THROUGHPUT_UPGRADE',
      current_limit: 'TIER_UNLIMITED',
    });
    assert.deepEqual(
      events.map((event) => event.type),
      ['number.updated'],
    );
    assert.equal(events[0].data.phone_number_id, tenant.phoneNumberId);
    assert.equal(events[0].data.event, 'THROUGHPUT_UPGRADE');
    assert.equal(events[0].data.messaging_limit, 'TIER_UNLIMITED');
    const number = await numberWhere('the number is fast', (found) => found.throughputLevel === 'HIGH');
    assert.equal(number.messagesPerSecond, 1000);
  });

  it('report a name once it is decided', async () => {
    const value = {
      display_phone_number: tenant.phoneNumber,
      decision: 'APPROVED',
      requested_verified_name: 'Lucky',
      rejection_reason: null,
    };
    const [event] = await announce('phone_number_name_update', value);
    assert.equal(event.data.verified_name, 'Lucky');
    await numberWhere('the name is known', (found) => found.verifiedName === 'Lucky');
  });

  it('report a change older than the stored state, which stays', async () => {
    const other = await createTenant(gateway);
    const at = nowSeconds();
    const display_phone_number = other.phoneNumber;
    const limit = (tier: string) =>
      ['phone_number_quality_update', { display_phone_number, event: 'UPGRADE', current_limit: tier }] as const;
    const limits = (people: number) =>
      ['business_capability_update', { max_daily_conversations_per_business: people }] as const;
    const name = (requested_verified_name: string) =>
      ['phone_number_name_update', { display_phone_number, decision: 'APPROVED', requested_verified_name }] as const;
    const tell = async (
      ...told: [seconds: number, change: ReturnType<typeof limit | typeof limits | typeof name>][]
    ) => {
      const start = await currentCursor(gateway, other);
      const entry = told.map(([time, [field, value]]) => ({ id: other.wabaId, time, changes: [{ field, value }] }));
      assert.equal((await postWebhook(gateway, { object: 'whatsapp_business_account', entry })).status, 200);
      const number = await gateway.app.accounts.findNumber(other.organizationId, other.phoneNumberId);
      const events = (await pullAll(gateway, other, start)).map((event) => event.type).toSorted();
      return [number?.messagingLimit, number?.verifiedName, ...events];
    };
    const [, before] = await tell([at - 100, limit('TIER_10K')]);
    const ofBoth = ['account.updated', 'number.updated'];
    assert.deepEqual(await tell([at - 110, limit('TIER_1K')]), ['TIER_10K', before, 'number.updated']);
    assert.deepEqual(await tell([at - 120, limits(250)]), ['TIER_10K', before, 'account.updated']);
    assert.deepEqual(await tell([at - 90, limits(5_000)]), ['5000', before, ...ofBoth]);
    assert.deepEqual(await tell([at - 95, limit('TIER_1K')]), ['5000', before, 'number.updated']);
    assert.deepEqual(await tell([at - 70, name('New')], [at - 80, name('Old')]), [
      '5000',
      'New',
      'number.updated',
      'number.updated',
    ]);
    assert.deepEqual(await tell([at - 75, name('Older')]), ['5000', 'New', 'number.updated']);
    // A webhook that confirms the stored state makes an event too.
    assert.deepEqual(await tell([at - 50, limits(5_000)]), ['5000', 'New', 'account.updated']);
    assert.deepEqual(await tell([at - 60, limits(250)]), ['5000', 'New', 'account.updated']);
    assert.deepEqual(await tell([at - 40, limits(250)]), ['250', 'New', ...ofBoth]);
  });

  it('a ban makes messages wait, and its end resumes them', async () => {
    const [banned] = await announce('account_update', {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'DISABLE' },
    });
    assert.equal(banned.type, 'account.updated');
    assert.equal(banned.data.event, 'DISABLED_UPDATE');
    assert.deepEqual(banned.data.value.ban_info, { waba_ban_state: 'DISABLE' });
    await numberWhere('the account is parked', (found) => found.parked?.code === 'ACCOUNT_DISABLED');
    await until('the dispatcher knows', async () => {
      const { queued, waits_for } = await queueOf(gateway, tenant);
      if (queued > 0) return waits_for.some((reason) => reason.startsWith('parked')) || undefined;
      await sendTemplate(gateway, tenant, freshRecipient());
      return undefined;
    });
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    assert.equal((await readMessage(gateway, tenant, id)).status, 'queued');
    await announce('account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } });
    await numberWhere('the account goes on', (found) => found.parked === null);
    await untilStatus(gateway, tenant, id, 'sent');
  });

  it('report a ban that arrives after its end, which delays no message', async () => {
    const other = await createTenant(gateway);
    const at = nowSeconds();
    const disabled = (waba_ban_state: string, phone_number?: string) => ({
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state },
      ...(phone_number !== undefined && { phone_number }),
    });
    const tell = async (time: number, value: object, field = 'account_update') => {
      const entry = [{ id: other.wabaId, time, changes: [{ field, value }] }];
      assert.equal((await postWebhook(gateway, { object: 'whatsapp_business_account', entry })).status, 200);
      const number = await gateway.app.accounts.findNumber(other.organizationId, other.phoneNumberId);
      return number?.parked?.code;
    };
    assert.equal(await tell(at - 10, disabled('REINSTATE')), undefined);
    assert.equal(await tell(at - 60, disabled('DISABLE')), undefined);
    assert.equal(await tell(at - 50, disabled('DISABLE', other.phoneNumber)), undefined);
    const events = (await pullAll(gateway, other)).filter((event) => event.type === 'account.updated');
    assert.deepEqual(
      events.map((event) => event.data.value.ban_info.waba_ban_state),
      ['REINSTATE', 'DISABLE', 'DISABLE'],
    );
    assert.equal(await tell(at - 5, disabled('DISABLE')), 'ACCOUNT_DISABLED');
    assert.equal(await tell(at - 8, disabled('REINSTATE')), 'ACCOUNT_DISABLED');
    assert.equal(await tell(at - 4, disabled('REINSTATE')), undefined);
    assert.equal(await tell(at - 3, disabled('DISABLE', other.phoneNumber)), 'ACCOUNT_DISABLED');
    assert.equal(await tell(at - 1, { decision: 'APPROVED' }, 'account_review_update'), 'ACCOUNT_DISABLED');
    assert.equal(await tell(at - 2, disabled('REINSTATE')), undefined);
    assert.equal(await tell(at - 5, { decision: 'REJECTED' }, 'account_review_update'), undefined);
  });

  it('a restriction ends by itself at its time, which the queue shows', async () => {
    const expiration = nowSeconds() + 500;
    const restriction_info = [{ restriction_type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', expiration }];
    await announce('account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info });
    await numberWhere('it is restricted', (found) => found.parked?.code === 'ACCOUNT_RESTRICTED');
    const id = await sendTemplate(gateway, tenant, freshRecipient());
    assert.equal((await queueOf(gateway, tenant)).parked_until, new Date(expiration * 1000).toISOString());
    await gateway.app.db.query({
      text: `UPDATE waba SET parked_until = now() - interval '1 second' WHERE waba_id = $1`,
      values: [tenant.wabaId],
    });
    await endPastRestrictions({ db: gateway.app.db }, Date.now());
    await numberWhere('it goes on', (found) => found.parked === null);
    await untilStatus(gateway, tenant, id, 'sent');
  });

  it('report new limits of the account and of each of its numbers they change', async () => {
    const events = await announce('business_capability_update', {
      max_daily_conversations_per_business: 2000,
      max_phone_numbers_per_waba: 25,
    });
    assert.deepEqual(events.map((event) => event.type).sort(), ['account.updated', 'number.updated']);
    const again = await announce('business_capability_update', {
      max_daily_conversations_per_business: 2000,
      max_phone_numbers_per_waba: 25,
    });
    assert.deepEqual(
      again.map((event) => event.type),
      ['account.updated'],
      'no number changed',
    );
  });

  it("find the account inside a partner's report", async () => {
    const value = { event: 'PARTNER_REMOVED', waba_info: { waba_id: tenant.wabaId, owner_business_id: '1' } };
    const [event] = await announce('account_update', value, '555000111');
    assert.equal(event.data.waba_id, tenant.wabaId);
    assert.equal(event.data.event, 'PARTNER_REMOVED');
  });

  it('name the number of a change without a type, so that filters by number work', async () => {
    const sync = (phone_number_id: string) => ({ metadata: { phone_number_id }, state_sync: [{ type: 'contact' }] });
    const [event] = await announce('smb_app_state_sync', sync(tenant.phoneNumberId));
    assert.equal(event.type, 'upstream.other');
    assert.equal(event.data.phone_number_id, tenant.phoneNumberId);
    const { data } = await pullPage(gateway, tenant, { number: tenant.phoneNumberId, type: 'upstream.other' });
    assert.deepEqual(data, [event]);
    const [foreign] = await announce('smb_app_state_sync', sync(stranger.phoneNumberId));
    assert.equal(foreign.data.phone_number_id, undefined);
    const pin = (display_phone_number: string) => ({
      display_phone_number,
      event: 'PIN_RESET_REQUEST',
      requester: '1',
    });
    const [spelled] = await announce('security', pin(tenant.phoneNumber.replace(/^(1)(...)/, '+$1 ($2) ')));
    assert.equal(spelled.data.phone_number_id, tenant.phoneNumberId);
    const recipient = { display_phone_number: tenant.phoneNumber, phone_number_id: tenant.phoneNumberId };
    const handover = { type: 'control_passed', recipient, sender: { phone_number: '12025550199' } };
    const [handed] = await announce('messaging_handovers', handover);
    const page = await pullPage(gateway, tenant, { number: tenant.phoneNumberId, type: 'upstream.other' });
    assert.deepEqual(page.data, [event, spelled, handed]);
    const [unknown] = await announce('security', pin(stranger.phoneNumber));
    assert.equal(unknown.data.phone_number_id, undefined);
  });

  it('reported at once: listed in the order in which they happened', async () => {
    const start = await currentCursor(gateway, tenant);
    // The changes are of a day from which this database keeps no messages.
    const firstAt = nowSeconds() - 3 * 24 * 60 * 60;
    const { id } = gateway.simulator.world.accounts.findTemplateByName(tenant.wabaId, 'order_update', 'en_US') ?? {};
    const words = ['PAUSED', 'APPROVED', 'FLAGGED', 'DISABLED', 'REINSTATED', 'PAUSED', 'APPROVED'];
    const entry = words.flatMap((event, index) => {
      const template = { event, message_template_id: Number(id), message_template_name: 'order_update' };
      const limits = { max_daily_conversations_per_business: 3_000 + index };
      return [
        ['message_template_status_update', { ...template, message_template_language: 'en_US', reason: null }] as const,
        ['business_capability_update', limits] as const,
        ['account_update', { event: 'ACCOUNT_VIOLATION' }] as const,
      ].map(([field, value]) => ({ id: tenant.wabaId, time: firstAt + index, changes: [{ field, value }] }));
    });
    const answer = await postWebhook(gateway, { object: 'whatsapp_business_account', entry });
    assert.equal(answer.status, 200, answer.text);
    const events = await pullAll(gateway, tenant, start);
    assert.equal(events.length, 4 * words.length);
    const times = events.map((event) => event.timestamp);
    assert.deepEqual(times, times.toSorted());
  });

  it('are made only for connected accounts, and only for their organization', async () => {
    assert.deepEqual(await announce('account_update', { event: 'ACCOUNT_DELETED' }, '799999999999999'), []);
    assert.deepEqual(await announce('account_update', { event: 'ACCOUNT_VIOLATION' }, stranger.wabaId), []);
    const theirs = await pullAll(gateway, stranger);
    assert.deepEqual(
      theirs.map((event) => event.data.waba_id),
      [stranger.wabaId],
    );
  });
});
