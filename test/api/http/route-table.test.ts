import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RouteCaller } from '../../../src/http/index.ts';
import { ROUTES } from '../../../src/routes.ts';
import { useGateway } from '../../harness/fixtures.ts';

/** Existing paths of the reference. */
const REFERENCE: Record<string, string> = {
  'GET /docs': '/docs',
  'GET /docs/:page': '/docs/guide',
  'GET /docs/api/:page': '/docs/api/messages',
  'GET /docs/assets/:file': '/docs/assets/site.js',
  'GET /llms.txt': '/llms.txt',
  'GET /setup/assets/:file': '/setup/assets/setup.js',
};
/**
 * Routes that the OpenAPI file leaves out: for the platform, the test of a key, the reference, the console, the page of set-up links, and the
 * file itself.
 */
const UNDESCRIBED = new Set([
  'GET /openapi.json',
  'GET /.well-known/security.txt',
  ...Object.keys(REFERENCE),
  'GET /webhooks/upstream',
  'POST /webhooks/upstream',
  'GET /webhooks/upstream/:appId',
  'POST /webhooks/upstream/:appId',
  'GET /v1',
  'GET /v1/oauth/access_token',
  'POST /v1/oauth/access_token',
  ...ROUTES.flatMap(({ name, module }) => (module === 'console' || name.includes(' /setup') ? [name] : [])),
]);
const SCHEMES: Record<RouteCaller, string[]> = {
  anyone: [],
  operator: ['adminToken'],
  organization: ['apiKey'],
  platform: [],
};
/** Answers of a route to a caller without credentials. */
const WITHOUT_CREDENTIALS: Record<RouteCaller, number[]> = {
  anyone: [200],
  operator: [401],
  organization: [401],
  platform: [401, 403],
};
/** Answers of the routes of sessions, whose requests lack the header of their page, and of tokens of an app, whose requests name no key. */
const OF_SIGN_INS: Readonly<Record<string, number[]>> = {
  'POST /console/session': [403],
  'GET /console/session': [403],
  'DELETE /console/session': [403],
  'GET /console/oidc': [403],
  'POST /console/oidc': [403],
  'POST /setup/session': [403],
  'GET /setup/session': [403],
  'POST /setup/dialog': [403],
  'POST /setup/steps/:step': [403],
  'GET /v1/oauth/access_token': [400],
  'POST /v1/oauth/access_token': [400],
};

describe('the route table', () => {
  const gateway = useGateway({
    settings: ({ upstream }) => ({
      upstream: { ...upstream, isBuiltIn: true },
      oidc: {
        issuer: 'http://127.0.0.1:9/',
        clientId: 'fairway',
        clientSecret: null,
        scopes: 'openid',
        roleClaim: 'groups',
        valuesOf: { support: [], operator: [], admin: ['owners'] },
        label: 'Example Login',
        endsProviderSession: true,
      },
      securityContact: { contacts: ['mailto:security@example.com'], expires: new Date('2030-01-01') },
    }),
  });

  it('agrees with the OpenAPI file: the same routes, for the same callers', async () => {
    interface Operation {
      security?: Record<string, unknown>[];
    }
    const response = await fetch(`${gateway.baseUrl}/openapi.json`);
    const { paths, security } = (await response.json()) as {
      paths: Record<string, Record<string, Operation>>;
      security: Record<string, unknown>[];
    };
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path.replaceAll(/\{([^}]+)\}/g, ':$1')}`;
        return `${name} ${(operation.security ?? security).flatMap(Object.keys)}`;
      }),
    );
    const listed = ROUTES.filter(({ name }) => !UNDESCRIBED.has(name)).map(
      ({ name, caller }) => `${name} ${SCHEMES[caller]}`,
    );
    assert.deepEqual(described.sort(), listed.sort());
  });

  it('has no row that nothing serves, and names an existing module in each', () => {
    const { http } = gateway.app;
    const unserved = ROUTES.filter(({ name }) => {
      const [method = '', url = ''] = name.split(' ');
      return !http.hasRoute({ method, url });
    });
    assert.deepEqual(unserved, []);
    const src = join(import.meta.dirname, '../../../src');
    assert.deepEqual(
      ROUTES.filter(({ module }) => !existsSync(join(src, module, 'index.ts'))),
      [],
    );
  });

  for (const { name, caller } of ROUTES) {
    const answers = OF_SIGN_INS[name] ?? WITHOUT_CREDENTIALS[caller];
    it(`${name}, no credentials → ${answers.join(' or ')}`, async () => {
      const [method = '', pattern = ''] = name.split(' ');
      const path = REFERENCE[name] ?? pattern.replaceAll(/:\w+/g, '1');
      const response = await fetch(`${gateway.baseUrl}${path}`, { method });
      assert.ok(answers.includes(response.status), `${response.status}: ${await response.text()}`);
      if (method !== 'GET') return;
      const head = await fetch(`${gateway.baseUrl}${path}`, { method: 'HEAD' });
      assert.ok([...answers, 405].includes(head.status), `HEAD: ${head.status}`);
    });
  }
});
