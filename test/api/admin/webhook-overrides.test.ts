import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useGateway } from '../../harness/fixtures.ts';
import {
  admin,
  connectWaba,
  createTenant,
  freshRecipient,
  readMessage,
  sendNow,
  type Tenant,
  until,
  untilStatus,
} from '../../harness/tenant.ts';

const INBOX = 'https://old-inbox.example/webhooks/a';
const PUBLIC_URL = 'https://gateway.example';
const BY_NUMBER = { level: 'phone_number', url: INBOX };
const BY_ACCOUNT = { level: 'whatsapp_business_account', url: INBOX };

interface Shown {
  waba_id: string;
  webhooks_subscribed: boolean | null;
  numbers: { phone_number_id: string; webhook_override: unknown }[];
}

describe('webhook override of an account', () => {
  let tenant: Tenant;
  let other: Tenant;
  const gateway = useGateway({ publicUrl: PUBLIC_URL });

  /** Calls the platform as whoever else uses the same app. */
  async function graph(method: string, path: string, body: object, { wabaId }: Tenant): Promise<void> {
    const token = gateway.simulator.world.accounts.findWaba(wabaId)?.accessToken;
    const response = await fetch(`${gateway.simulator.baseUrl}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(method !== 'DELETE' && { body: JSON.stringify(body) }),
    });
    assert.equal(response.status, 200, await response.text());
  }

  const overrideNumber = (uri: string) =>
    graph(
      'POST',
      tenant.phoneNumberId,
      { webhook_configuration: { override_callback_uri: uri, verify_token: 'secret' } },
      tenant,
    );
  const sync = () => admin<Shown>(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
  async function listed({ organizationId }: Tenant): Promise<Shown | undefined> {
    const { data } = await admin<{ data: Shown[] }>(gateway, 'GET', `/organizations/${organizationId}/wabas`);
    return data[0];
  }
  const overrideIn = (shown: Shown | undefined) => shown?.numbers[0]?.webhook_override;

  before(async () => {
    tenant = await createTenant(gateway);
    other = await createTenant(gateway);
  });

  it('none → null, and the app is subscribed', async () => {
    const shown = await listed(tenant);
    assert.equal(overrideIn(shown), null);
    assert.equal(shown?.webhooks_subscribed, true);
  });

  it('on the number → in connect, sync, list and number, without its query', async () => {
    await overrideNumber(`${INBOX}?token=hidden`);
    const connected = (await connectWaba(gateway, tenant.organizationId, tenant.wabaId)) as unknown as Shown;
    assert.deepEqual(overrideIn(connected), BY_NUMBER);
    assert.deepEqual(overrideIn(await sync()), BY_NUMBER);
    assert.deepEqual(overrideIn(await listed(tenant)), BY_NUMBER);
    const patched = await admin<object>(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, {});
    assert.partialDeepStrictEqual(patched, { webhook_override: BY_NUMBER });
    assert.equal(overrideIn(await listed(other)), null, 'another organization has none');
  });

  it('ended → null after the next sync', async () => {
    await overrideNumber('');
    assert.deepEqual(overrideIn(await listed(tenant)), BY_NUMBER, 'as it was last read');
    assert.equal(overrideIn(await sync()), null);
    assert.equal(overrideIn(await listed(tenant)), null);
  });

  it('leads to the gateway → null', async () => {
    await overrideNumber(`${PUBLIC_URL}/webhooks/upstream`);
    assert.equal(overrideIn(await sync()), null);
    await overrideNumber('');
  });

  it('on the account → in sync; a connect subscribes without it, which ends it', async () => {
    await graph(
      'POST',
      `${tenant.wabaId}/subscribed_apps`,
      { override_callback_uri: INBOX, verify_token: 'v' },
      tenant,
    );
    assert.deepEqual(overrideIn(await sync()), BY_ACCOUNT);
    await overrideNumber(`${PUBLIC_URL}/webhooks/upstream`);
    assert.equal(overrideIn(await sync()), null, 'that of the number counts');
    await overrideNumber('');
    assert.deepEqual(overrideIn(await sync()), BY_ACCOUNT);
    const connected = (await connectWaba(gateway, tenant.organizationId, tenant.wabaId)) as unknown as Shown;
    assert.equal(overrideIn(connected), null);
  });

  it('no subscription of the app → in sync until the account is connected again', async () => {
    await graph('DELETE', `${tenant.wabaId}/subscribed_apps`, {}, tenant);
    assert.equal((await sync()).webhooks_subscribed, false);
    assert.equal((await listed(tenant))?.webhooks_subscribed, false);
    assert.equal((await listed(other))?.webhooks_subscribed, true);
    await connectWaba(gateway, tenant.organizationId, tenant.wabaId);
    assert.equal((await listed(tenant))?.webhooks_subscribed, true);
  });

  it('subscriptions hidden by the platform → the account is read, its state stays', async () => {
    const { world } = gateway.simulator;
    world.addFault({ fault: { kind: 'error', code: 10 }, scope: { endpoint: 'accounts', wabaId: tenant.wabaId } });
    const synced = await sync();
    world.clearFaults();
    assert.equal(synced.webhooks_subscribed, true);
    assert.equal(synced.numbers.length, 1);
  });

  it('on one number → its statuses go there, those of another number come here', async () => {
    const { world } = gateway.simulator;
    await overrideNumber('http://127.0.0.1:9/elsewhere');
    const mine = await sendNow(gateway, tenant, freshRecipient());
    const theirs = await sendNow(gateway, other, freshRecipient());
    await untilStatus(gateway, other, theirs.id, 'read');
    const toldElsewhere = () => world.deliveries().filter(({ url }) => url.endsWith('/elsewhere'));
    await until('three statuses went there', () => toldElsewhere().length >= 3 || undefined);
    assert.ok(toldElsewhere().every(({ body }) => String(body).includes(tenant.phoneNumberId)));
    assert.equal((await readMessage(gateway, tenant, mine.id)).status, 'sent');
  });
});
