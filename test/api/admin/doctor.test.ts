import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type Gateway, UPSTREAM_APP } from '../../harness/gateway.ts';
import { admin, createTenant, sendNow, type Tenant } from '../../harness/tenant.ts';
import { createFurtherApp } from '../apps/further-app.ts';

import { askDoctor, type Finding, faultsOf, startPublicGateway } from './ask-doctor.ts';

const APP_PATH = `/${UPSTREAM_APP.appId}/subscriptions`;

describe('doctor: faults of accounts and the app', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let other: Tenant;
  let app: Awaited<ReturnType<typeof createFurtherApp>>;
  before(async () => {
    gateway = await startPublicGateway();
    tenant = await createTenant(gateway);
    other = await createTenant(gateway);
    app = await createFurtherApp(gateway, { secret_proof: true });
  });
  after(() => gateway.stop());
  const ownAddress = () => `${gateway.baseUrl}/webhooks/upstream/${app.id}`;
  const world = () => gateway.simulator.world;
  const wabaOf = ({ wabaId }: Tenant) => world().accounts.findWaba(wabaId)!;
  const sql = (text: string, values: unknown[] = []) => gateway.app.db.query({ text, values });

  it('nothing planted → every check ok, for both tenants', async () => {
    assert.deepEqual(await faultsOf(gateway), []);
  });

  /** Each fault: the finding it must lead to, and the way to plant it and to take it away again. */
  const faults: Record<
    string,
    { names: () => string; plant: () => unknown; mend: () => unknown; isFixable?: boolean }
  > = {
    'webhook field missing': {
      names: () => 'app-fields: app',
      plant: () => Object.assign(world().settings, { appFields: ['messages', 'security'] }),
      mend: () => Object.assign(world().settings, { appFields: null }),
      isFixable: true,
    },
    'app subscription inactive': {
      names: () => 'app-callback: app',
      plant: () => Object.assign(world().settings, { isAppActive: false }),
      mend: () => Object.assign(world().settings, { isAppActive: true }),
      isFixable: true,
    },
    'app without a webhook address': {
      names: () => 'app-callback: app',
      plant: () => world().setWebhookUrl(null),
      mend: () => world().setWebhookUrl(`${gateway.baseUrl}/webhooks/upstream`),
      isFixable: true,
    },
    'webhook address of another system': {
      names: () => 'app-callback: app',
      plant: () => world().setWebhookUrl('https://elsewhere.example.com/hook'),
      mend: () => world().setWebhookUrl(`${gateway.baseUrl}/webhooks/upstream`),
    },
    'webhook field of a further app missing': {
      names: () => `app-fields: app ${app.id}`,
      plant: () => Object.assign(app, { fields: ['messages', 'security'] }),
      mend: () => Object.assign(app, { fields: null }),
      isFixable: true,
    },
    'further app without a webhook address': {
      names: () => `app-callback: app ${app.id}`,
      plant: () => Object.assign(app, { webhookUrl: null }),
      mend: () => Object.assign(app, { webhookUrl: ownAddress() }),
      isFixable: true,
    },
    'further app with the webhook address of another app': {
      names: () => `app-callback: app ${app.id}`,
      plant: () => Object.assign(app, { webhookUrl: `${gateway.baseUrl}/webhooks/upstream/12345` }),
      mend: () => assert.equal(app.webhookUrl, ownAddress()),
      isFixable: true,
    },
    'further app with the webhook address of all apps': {
      names: () => `app-callback: app ${app.id}`,
      plant: () => Object.assign(app, { webhookUrl: `${gateway.baseUrl}/webhooks/upstream` }),
      mend: () => assert.equal(app.webhookUrl, ownAddress()),
      isFixable: true,
    },
    'webhook address of another system, of a further app': {
      names: () => `app-callback: app ${app.id}`,
      plant: () => Object.assign(app, { webhookUrl: 'https://elsewhere.example.com/hook' }),
      mend: () => Object.assign(app, { webhookUrl: ownAddress() }),
    },
    'further app with another secret': {
      names: () => `app-credentials: app ${app.id}`,
      plant: () => admin(gateway, 'PATCH', `/apps/${app.id}`, { secrets: ['another-secret', app.secret] }),
      mend: () => admin(gateway, 'PATCH', `/apps/${app.id}`, { secrets: [app.secret] }),
    },
    'verify token of a further app that can be guessed': {
      names: () => `verify-token: app ${app.id}`,
      plant: () => admin(gateway, 'PATCH', `/apps/${app.id}`, { verify_token: 'abababababababab' }),
      mend: () => admin(gateway, 'PATCH', `/apps/${app.id}`, { verify_token: app.verifyToken }),
    },
    'WABA not subscribed': {
      names: () => `waba-subscription: waba ${tenant.wabaId}`,
      plant: () => Object.assign(wabaOf(tenant), { subscribed: false }),
      mend: () => Object.assign(wabaOf(tenant), { subscribed: true }),
      isFixable: true,
    },
    'override of a WABA': {
      names: () => `waba-override: waba ${other.wabaId}`,
      plant: () => Object.assign(wabaOf(other), { overrideCallbackUri: 'https://elsewhere.example.com/waba' }),
      mend: () => Object.assign(wabaOf(other), { overrideCallbackUri: null }),
    },
    'override of a number': {
      names: () => `number-override: number ${tenant.phoneNumberId}`,
      plant: () =>
        world().updateNumber(tenant.phoneNumberId, { overrideCallbackUri: 'https://elsewhere.example.com/n' }),
      mend: () => world().updateNumber(tenant.phoneNumberId, { overrideCallbackUri: null }),
    },
    'token revoked': {
      names: () => `token-valid: waba ${tenant.wabaId}`,
      plant: () =>
        Object.assign(wabaOf(tenant), { formerToken: wabaOf(tenant).accessToken, accessToken: 'EAArevoked' }),
      mend: () => Object.assign(wabaOf(tenant), { accessToken: Reflect.get(wabaOf(tenant), 'formerToken') }),
    },
    'token about to expire': {
      names: () => `token-expiry: waba ${other.wabaId}`,
      plant: () => world().describeToken(other.wabaId, { expires_at: Math.floor(Date.now() / 1_000) + 86_400 }),
      mend: () => world().describeToken(other.wabaId, {}),
    },
    'token without a permission': {
      names: () => `token-scopes: waba ${tenant.wabaId}`,
      plant: () => world().describeToken(tenant.wabaId, { scopes: ['whatsapp_business_messaging'] }),
      mend: () => world().describeToken(tenant.wabaId, {}),
    },
    'token of another app': {
      names: () => `token-app: waba ${tenant.wabaId}`,
      plant: () => world().describeToken(tenant.wabaId, { app_id: '1234567' }),
      mend: () => world().describeToken(tenant.wabaId, {}),
    },
    'number not registered': {
      names: () => `number-registered: number ${other.phoneNumberId}`,
      plant: () => world().updateNumber(other.phoneNumberId, { platformType: 'NOT_APPLICABLE' }),
      mend: () => world().updateNumber(other.phoneNumberId, { platformType: 'CLOUD_API' }),
    },
    'number restricted': {
      names: () => `number-health: number ${tenant.phoneNumberId}`,
      plant: () =>
        world().updateNumber(tenant.phoneNumberId, { attributes: { health_status: { can_send_message: 'LIMITED' } } }),
      mend: () => world().updateNumber(tenant.phoneNumberId, { attributes: {} }),
    },
    'templates not read for months': {
      names: () => `template-sync: waba ${tenant.wabaId}`,
      plant: () => sql(`UPDATE waba SET synced_at = now() - interval '60 days' WHERE waba_id = $1`, [tenant.wabaId]),
      mend: () => sql('UPDATE waba SET synced_at = now() WHERE waba_id = $1', [tenant.wabaId]),
      isFixable: true,
    },
    'platform hanging': {
      names: () => 'platform-reachable: platform',
      plant: () => world().addFault({ fault: { kind: 'hang' }, scope: { endpoint: 'accounts' } }),
      mend: () => world().clearFaults(),
    },
    'platform silent': {
      names: () => 'platform-reachable: platform',
      plant: () => world().addFault({ fault: { kind: 'reset_before' }, scope: { endpoint: 'accounts' } }),
      mend: () => world().clearFaults(),
    },
    'endpoint failing': {
      names: () => `endpoints: endpoint ${endpointId}`,
      plant: () =>
        sql(
          `INSERT INTO webhook_endpoint (organization_id, id, url, format, signing, ordered, secret_sealed, disabled_at,
             disabled_reason, created_at, updated_at)
           VALUES ($1, $2, 'https://customer.example.com', 'standard', 'hmac', false, '', now(), 'failing', now(), now())`,
          [other.organizationId, endpointId],
        ),
      mend: () => sql('DELETE FROM webhook_endpoint WHERE id = $1', [endpointId]),
    },
  };
  const endpointId = '0199c0de-0000-7000-8000-0000000000ee';

  for (const [fault, { names, plant, mend, isFixable = false }] of Object.entries(faults)) {
    it(`${fault} → named, and nothing else${isFixable ? '; repaired by a fix' : ''}`, async () => {
      await plant();
      try {
        assert.deepEqual(await faultsOf(gateway), [names()]);
        const { json } = await askDoctor(gateway, { method: 'POST', path: '/fixes' });
        assert.equal(json.fixes.length, isFixable ? 1 : 0);
        if (isFixable) assert.deepEqual(await faultsOf(gateway), []);
      } finally {
        await mend();
      }
      assert.deepEqual(await faultsOf(gateway), []);
    });
  }

  it('a tenant as filter → only its objects and the deployment', async () => {
    const { json } = await askDoctor(gateway, { path: `?organization_id=${other.organizationId}` });
    const organizations = new Set((json.findings as Finding[]).map((finding) => finding.organization_id));
    assert.deepEqual(organizations, new Set([null, other.organizationId]));
  });

  it('the test server, which is not durable → each setting named', async () => {
    const { json } = await askDoctor(gateway, { path: '?check=postgres-durability' });
    assert.match(json.findings[0].message, /^fsync, full_page_writes, synchronous_commit is off/);
  });

  it('documentation: one anchor for each check, and no other', async () => {
    const { json } = await askDoctor(gateway);
    const ids = new Set((json.findings as Finding[]).map(({ id }) => id));
    const document = await readFile(new URL('../../../docs/doctor.md', import.meta.url), 'utf8');
    assert.deepEqual(
      [...ids],
      [...document.matchAll(/^### (.+)$/gm)].map(([, anchor]) => anchor),
    );
  });

  it("a business account as filter → another tenant's failing endpoint left out", async () => {
    await faults['endpoint failing']?.plant();
    const read = async (path: string) => (await askDoctor(gateway, { path })).json.findings as Finding[];
    const subjects = async (wabaId: string) =>
      (await read(`?check=endpoints&waba_id=${wabaId}`)).map(({ subject }) => subject);
    assert.deepEqual(await subjects(tenant.wabaId), ['endpoints']);
    assert.deepEqual(await subjects(other.wabaId), [`endpoint ${endpointId}`]);
    await faults['endpoint failing']?.mend();
  });

  it('answers: hold no secret', async () => {
    const { text } = await askDoctor(gateway);
    const secrets = [gateway.adminToken, UPSTREAM_APP.appSecret, UPSTREAM_APP.verifyToken, wabaOf(tenant).accessToken];
    for (const secret of secrets) assert.ok(!text.includes(secret));
  });

  it('sent without a status → the number named', async () => {
    world().addFault({ fault: { kind: 'webhook_lost' } });
    const { id } = await sendNow(gateway, tenant);
    await world().whenQuiet();
    world().clearFaults();
    const madeAt = new Date(systemClock.now() - 10 * 60_000);
    await sql(
      `UPDATE message SET id = (lpad(to_hex($2::bigint), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid
       WHERE id = $1`,
      [id, madeAt.getTime()],
    );
    assert.deepEqual(await faultsOf(gateway), [`number-statuses: number ${tenant.phoneNumberId}`]);
  });

  it('the app of the simulator: another token than its own → refused', async () => {
    const response = await fetch(`${gateway.simulator.baseUrl}${APP_PATH}`, {
      headers: { authorization: 'Bearer EAA' },
    });
    assert.equal(response.status, 401);
  });
});
