import { randomInt } from 'node:crypto';
import { admin, connectWaba, createTenant, type Served, type Tenant } from '../../harness/tenant.ts';

/** Returns the body that creates a further app which no other test has. */
export function appBody(change: { app_id?: string; secret_proof?: boolean; signup_configuration_id?: string } = {}) {
  const serial = randomInt(100_000_000, 999_999_999);
  return {
    app_id: `66${serial}`,
    name: `App ${serial}`,
    secrets: [`secret-of-${serial}`],
    verify_token: `verify-token-of-${serial}`,
    ...change,
  };
}

/** Creates an app at the gateway and at the platform, with a webhook address of its own. */
export async function createFurtherApp(
  gateway: Served,
  change: { secret_proof?: boolean; signup_configuration_id?: string } = {},
) {
  const body = appBody(change);
  await admin(gateway, 'POST', '/apps', body);
  return gateway.simulator.world.addApp({
    id: body.app_id,
    secret: body.secrets[0] ?? '',
    verifyToken: body.verify_token,
    webhookUrl: `${gateway.baseUrl}/webhooks/upstream/${body.app_id}`,
    requiresProof: change.secret_proof ?? false,
  });
}

/** Creates a tenant whose account has a token of the app. */
export async function createTenantOf(gateway: Served, appId: string): Promise<Tenant> {
  const tenant = await createTenant(gateway);
  const waba = gateway.simulator.world.accounts.findWaba(tenant.wabaId);
  if (waba === undefined) throw new Error('the platform has no such account');
  waba.appId = appId;
  await connectWaba(gateway, tenant.organizationId, tenant.wabaId);
  return tenant;
}
