import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import type { AppOptions } from '../../../src/app-options.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type Gateway, type GatewayOptions, UPSTREAM_APP } from '../../harness/gateway.ts';
import { createTenant } from '../../harness/tenant.ts';

import { askDoctor, faultsOf, startPublicGateway } from './ask-doctor.ts';

describe('doctor: faults of the configuration', () => {
  const WEAK = 'secret';
  const cases: Record<string, { names: string[]; options: GatewayOptions; token?: string }> = {
    'no public URL': { names: ['public-url-set: gateway'], options: { settings: () => ({ publicUrl: null }) } },
    'public URL without TLS': {
      names: ['public-url-https: gateway'],
      options: { settings: () => ({ publicUrl: 'http://messaging.example.com' }) },
    },
    'public URL that leads nowhere': {
      names: ['public-url-reachable: gateway'],
      options: { settings: () => ({ publicUrl: 'http://127.0.0.1:1' }) },
    },
    'weak admin token': {
      names: ['admin-token: gateway'],
      options: { settings: () => ({ adminToken: WEAK }) },
      token: WEAK,
    },
    'weak encryption key': {
      names: ['encryption-key: gateway'],
      options: { settings: () => ({ encryptionKeys: [Buffer.alloc(32)] }) },
    },
    'wrong app secret': { names: ['app-credentials: app'], options: withUpstream({ appSecrets: ['of-another-app'] }) },
    'no app secret': { names: ['app-secret: gateway'], options: withUpstream({ appSecrets: [] }) },
    'no app id': { names: ['app-credentials: app'], options: withUpstream({ appId: null }) },
    'an old Graph version': {
      names: ['graph-version: platform'],
      options: {
        settings: ({ upstream }) => ({
          upstream: { ...upstream, baseUrl: upstream.baseUrl.replace(/v[\d.]+$/, 'v18.0') },
        }),
      },
    },
    'nobody dispatches': { names: ['nodes: gateway'], options: { roles: ['api', 'deliver'], isOneOfSeveral: true } },
    'clock of the machine ahead': {
      names: ['postgres-clock: postgres'],
      options: { settings: () => ({ clock: { ...systemClock, now: () => systemClock.now() + 60_000 } }) },
    },
    'more connections than the server has': {
      names: ['postgres-connections: postgres'],
      options: { settings: ({ retention }) => ({ connectionsMax: 500, retention: { ...retention, messageDays: 3 } }) },
    },
    'more days than the lock table holds': {
      names: ['postgres-lock-table: postgres'],
      options: { settings: ({ retention }) => ({ retention: { ...retention, messageDays: 3_650 } }) },
    },
  };

  for (const [fault, { names, options, token }] of Object.entries(cases)) {
    it(`${fault} → named, and nothing else`, async () => {
      const gateway = await startPublicGateway(options);
      try {
        assert.deepEqual(await faultsOf(gateway, token), names);
      } finally {
        await gateway.stop();
      }
    });
  }
});

it('doctor: a token sealed with a lost key → only its account named', async () => {
  const gateway = await startPublicGateway();
  try {
    await createTenant(gateway);
    const { wabaId } = await createTenant(gateway);
    await gateway.app.db.query({
      text: "UPDATE waba SET token_sealed = substr(token_sealed, 1, 12) || '\\x00'::bytea WHERE waba_id = $1",
      values: [wabaId],
    });
    assert.deepEqual(await faultsOf(gateway), [`token-valid: waba ${wabaId}`]);
  } finally {
    await gateway.stop();
  }
});

it('doctor: the log of a run and its repairs → holds no secret', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const gateway = await startPublicGateway({ settings: () => ({ log }) });
  try {
    const { wabaId } = await createTenant(gateway);
    const waba = gateway.simulator.world.accounts.findWaba(wabaId)!;
    Object.assign(gateway.simulator.world.settings, { appFields: ['messages'] });
    waba.subscribed = false;
    await askDoctor(gateway, { method: 'POST', path: '/fixes' });
    waba.accessToken = 'EAArevoked';
    const formerToken = (await gateway.app.accounts.tokenOf(await ownerOf(gateway, wabaId), wabaId)).token;
    await askDoctor(gateway);
    const logged = lines.join('');
    assert.match(logged, /debugToken|readSubscription/);
    const secrets = [gateway.adminToken, UPSTREAM_APP.appSecret, UPSTREAM_APP.verifyToken, formerToken];
    for (const secret of secrets) assert.ok(!logged.includes(secret));
  } finally {
    await gateway.stop();
  }
});

async function ownerOf(gateway: Gateway, wabaId: string): Promise<string> {
  const [row] = await gateway.app.db.query<{ id: string }>({
    text: 'SELECT organization_id AS id FROM waba WHERE waba_id = $1',
    values: [wabaId],
  });
  return row!.id;
}

function withUpstream(change: Partial<AppOptions['upstream']>): GatewayOptions {
  return { settings: ({ upstream }) => ({ upstream: { ...upstream, ...change } }) };
}
