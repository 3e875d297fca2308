import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const OLD_KEY = Buffer.alloc(32, 8).toString('base64');

test('config: empty environment → the documented defaults', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    publicUrl: null,
    docs: true,
    securityContact: null,
    dataDir: resolve('data'),
    logLevel: 'info',
    workers: 1,
    database: { url: null, directUrl: null, preparesStatements: true, connectionsMax: 16 },
    upstream: {
      baseUrl: null,
      connectionsMax: 1024,
      appId: null,
      signupConfigId: null,
      appSecrets: [],
      verifyToken: null,
      appSecretProof: false,
    },
    encryptionKeys: [],
    adminToken: null,
    oidc: null,
    fetchAllowCidrs: [],
    trustedProxies: [],
    roles: ['api', 'dispatch', 'deliver'],
    messageRetentionDays: 90,
    webhookRetentionDays: 14,
    auditRetentionDays: 400,
  });
});

test('config: full environment → strict values', () => {
  const config = readConfig({
    HOST: '::',
    PORT: '0',
    PUBLIC_URL: 'https://messaging.example.com/fairway/',
    DATABASE_URL: 'postgresql://user:pass@db.internal/fairway',
    DATA_DIR: '/var/lib/fairway',
    UPSTREAM_BASE_URL: 'https://graph.facebook.com/v24.0/',
    UPSTREAM_APP_ID: '1234',
    UPSTREAM_APP_SECRET: 'new-secret, old-secret',
    UPSTREAM_APP_SECRET_PROOF: 'On',
    UPSTREAM_VERIFY_TOKEN: 'verify-me',
    ENCRYPTION_KEY: `${KEY}, ${OLD_KEY}`,
    ADMIN_TOKEN: 'operator',
    FETCH_ALLOW_CIDRS: '10.0.0.0/8, fd00::/8',
    TRUSTED_PROXIES: '127.0.0.1/32',
    LOG_LEVEL: 'DEBUG',
    ROLES: 'api, Deliver',
    MESSAGE_RETENTION_DAYS: '30',
  });
  assert.equal(config.port, 0);
  assert.equal(config.publicUrl, 'https://messaging.example.com/fairway');
  assert.equal(config.dataDir, '/var/lib/fairway');
  assert.equal(config.database.url, 'postgresql://user:pass@db.internal/fairway');
  assert.equal(config.upstream.baseUrl, 'https://graph.facebook.com/v24.0');
  assert.deepEqual(config.upstream.appSecrets, ['new-secret', 'old-secret']);
  assert.deepEqual(config.encryptionKeys, [Buffer.alloc(32, 7), Buffer.alloc(32, 8)]);
  assert.deepEqual(config.fetchAllowCidrs, ['10.0.0.0/8', 'fd00::/8']);
  assert.deepEqual(config.trustedProxies, ['127.0.0.1/32']);
  assert.equal(config.upstream.appSecretProof, true);
  assert.equal(config.logLevel, 'debug');
  assert.deepEqual(config.roles, ['api', 'deliver']);
  assert.equal(config.messageRetentionDays, 30);
});

test('config: empty variable → counts as unset', () => {
  assert.equal(readConfig({ DATABASE_URL: ' ', PORT: '' }).port, 8080);
});

test('config: quoted value → refused instead of used with its quotes', () => {
  for (const quoted of [`"s3cret"`, `'s3cret'`, `"`.repeat(2)]) {
    assert.throws(() => readConfig({ UPSTREAM_APP_SECRET: quoted, ADMIN_TOKEN: quoted }), {
      problems: ['UPSTREAM_APP_SECRET', 'ADMIN_TOKEN'].map(
        (name) => `${name} must not be quoted: the quotes have become a part of its value.`,
      ),
    });
  }
});

test('config: database password with a bare # or / → refused', () => {
  for (const password of ['p@ss#word', 'p@ss/word', '12/34', '/word']) {
    const url = `postgres://user:${password}@db.internal/fairway`;
    assert.throws(() => readConfig({ DATABASE_URL: url, ENCRYPTION_KEY: KEY }), {
      problems: ['DATABASE_URL must be a postgres:// URL, with special characters of its password percent-encoded.'],
    });
  }
  for (const url of ['postgres://db.internal/fair@way', 'postgres:///fairway?host=/run/me@home/postgresql']) {
    assert.equal(readConfig({ DATABASE_URL: url, ENCRYPTION_KEY: KEY }).database.url, url);
  }
});

test('config: several servers and a direct URL → as given; a direct URL alone → refused', () => {
  const [url, directUrl] = [
    'postgres://u:p@pooler:6432/fairway',
    'postgres://u:p@one:5432,two:5433/fairway?target_session_attrs=read-write',
  ];
  const { database } = readConfig({
    ...{ DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl, DATABASE_PREPARED_STATEMENTS: 'off' },
    ENCRYPTION_KEY: KEY,
  });
  assert.deepEqual(database, { url, directUrl, preparesStatements: false, connectionsMax: 16 });
  assert.throws(() => readConfig({ DATABASE_DIRECT_URL: directUrl, ENCRYPTION_KEY: KEY }), {
    problems: ['DATABASE_URL must be set when DATABASE_DIRECT_URL is: to the pooler, or to the same address.'],
  });
});

test('config: PGSSLMODE → counts for a database URL without sslmode', () => {
  const urlOf = (url: string) =>
    readConfig({ DATABASE_URL: url, ENCRYPTION_KEY: KEY, PGSSLMODE: 'verify-full' }).database.url;
  assert.equal(urlOf('postgres://db/fairway'), 'postgres://db/fairway?sslmode=verify-full');
  assert.equal(urlOf('postgres://db/fairway?a=b'), 'postgres://db/fairway?a=b&sslmode=verify-full');
  assert.equal(urlOf('postgres://db/fairway?sslmode=require'), 'postgres://db/fairway?sslmode=require');
});

test('config: Unix socket in the form of libpq → accepted, with localhost inserted', () => {
  const socket = 'host=/run/postgresql';
  for (const [url, read] of [
    [`postgres://user:p%40ss@/fairway?${socket}`, `postgres://user:p%40ss@localhost/fairway?${socket}`],
    [`postgresql://user@:5433/fairway?${socket}`, `postgresql://user@localhost:5433/fairway?${socket}`],
  ]) {
    assert.equal(readConfig({ DATABASE_URL: url, ENCRYPTION_KEY: KEY }).database.url, read);
  }
  assert.throws(() => readConfig({ DATABASE_URL: 'postgres://user@/fairway', ENCRYPTION_KEY: KEY }), ConfigError);
});

test('config: DATABASE_URL without ENCRYPTION_KEY → refused', () => {
  assert.throws(
    () => readConfig({ DATABASE_URL: 'postgres://db/fairway' }),
    (error) =>
      error instanceof ConfigError && error.problems.length === 1 && /^ENCRYPTION_KEY/.test(error.problems[0] ?? ''),
  );
});

test('config: ambiguous address range, or one that never matches → refused', () => {
  for (const range of ['10/8', '010.0.0.0/8', '::ffff:10.0.0.0/104', '10.0.0.0']) {
    assert.throws(() => readConfig({ FETCH_ALLOW_CIDRS: range }), ConfigError, range);
  }
});

test('config: many problems → all in one error, without secrets', () => {
  const bad = {
    HOST: 'a b',
    PORT: '65536',
    DATABASE_URL: 'mysql://root:hunter2@db/x',
    DATABASE_CONNECTIONS_MAX: '3',
    UPSTREAM_BASE_URL: 'https://user:hunter2@graph.example/v24.0',
    UPSTREAM_CONNECTIONS_MAX: '1e3',
    UPSTREAM_APP_ID: '12/34',
    UPSTREAM_APP_SECRET: 'hunter2,,',
    UPSTREAM_VERIFY_TOKEN: 'hunter2 hunter2',
    ENCRYPTION_KEY: 'hunter2',
    ADMIN_TOKEN: 'hunter2 hunter2',
    FETCH_ALLOW_CIDRS: '10.0.0.0/33',
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'loud',
    MESSAGE_RETENTION_DAYS: '7',
    WEBHOOK_RETENTION_DAYS: '1',
  };
  assert.throws(
    () => readConfig(bad),
    (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(
        error.problems.map((problem) => problem.split(' ', 1)[0]),
        Object.keys(bad).filter((name) => name !== 'DATA_DIR'),
      );
      for (const problem of error.problems) assert.ok(error.message.includes(problem));
      assert.ok(!error.message.includes('hunter2'));
      return true;
    },
  );
});

test('config: base URL with an empty query or fragment → refused', () => {
  for (const name of ['PUBLIC_URL', 'UPSTREAM_BASE_URL'])
    for (const end of ['?', '#', '/?', '/#'])
      assert.throws(
        () => readConfig({ [name]: `https://messaging.example.com${end}` }),
        new RegExp(`${name} must be`),
        end,
      );
});

test('config: secret proof without a secret → refused', () => {
  const real = { UPSTREAM_BASE_URL: 'https://graph.facebook.com/v24.0', UPSTREAM_APP_SECRET_PROOF: 'on' };
  assert.throws(() => readConfig(real), {
    problems: [
      'UPSTREAM_APP_SECRET must be set when UPSTREAM_APP_SECRET_PROOF is on: calls prove that they know this secret.',
    ],
  });
  assert.equal(readConfig({ ...real, UPSTREAM_APP_SECRET: 'secret' }).upstream.appSecretProof, true);
  assert.equal(
    readConfig({ UPSTREAM_APP_SECRET_PROOF: 'on' }).upstream.appSecretProof,
    true,
    'the simulated platform has a secret',
  );
});

test('config: invalid setting → reported alone, without the rules that depend on it', () => {
  const told = (env: Record<string, string>) => {
    try {
      readConfig(env);
    } catch (error) {
      assert.ok(error instanceof ConfigError, String(error));
      return error.problems.map((problem) => problem.split(' ', 1)[0]);
    }
    return [];
  };
  const upstream = { UPSTREAM_BASE_URL: 'https://graph.facebook.com/v24.0' };
  assert.deepEqual(told({ ...upstream, UPSTREAM_APP_SECRET_PROOF: 'on', UPSTREAM_APP_SECRET: 'a,' }), [
    'UPSTREAM_APP_SECRET',
  ]);
  assert.deepEqual(told({ UPSTREAM_BASE_URL: 'graph', ROLES: 'dispatch' }), ['UPSTREAM_BASE_URL']);
  assert.deepEqual(told({ ROLES: 'everything' }), ['ROLES']);
});

test('config: node without the API and without a platform → refused', () => {
  for (const ROLES of ['dispatch', 'deliver', 'dispatch,deliver']) {
    assert.throws(() => readConfig({ ROLES }), {
      problems: [
        'UPSTREAM_BASE_URL must be set when ROLES leaves out api: the simulated platform is set up through the API.',
      ],
    });
    assert.deepEqual(readConfig({ ROLES, UPSTREAM_BASE_URL: 'http://127.0.0.1:8090/v24.0' }).roles, ROLES.split(','));
  }
  assert.deepEqual(readConfig({ ROLES: 'api' }).roles, ['api']);
});

test('config: contacts for vulnerabilities → URLs with an expiry, both or neither', () => {
  const SECURITY_CONTACT = 'mailto:security@example.com, https://example.com/report';
  const SECURITY_EXPIRES = '2027-11-01T00:00:00Z';
  assert.deepEqual(readConfig({ SECURITY_CONTACT, SECURITY_EXPIRES }).securityContact, {
    contacts: ['mailto:security@example.com', 'https://example.com/report'],
    expires: new Date(SECURITY_EXPIRES),
  });
  for (const env of [
    { SECURITY_CONTACT },
    { SECURITY_EXPIRES },
    { SECURITY_CONTACT: 'security@example.com', SECURITY_EXPIRES },
    { SECURITY_CONTACT, SECURITY_EXPIRES: 'next year' },
  ]) {
    assert.throws(() => readConfig(env), ConfigError, JSON.stringify(env));
  }
});

const OIDC = {
  PUBLIC_URL: 'https://messaging.example.com',
  OIDC_ISSUER: 'https://login.example.com/realms/main',
  OIDC_CLIENT_ID: 'fairway',
  OIDC_ADMIN_GROUPS: 'owners, /gateway/admins',
};

test('config: identity provider → its settings, with the host as its name', () => {
  assert.deepEqual(readConfig(OIDC).oidc, {
    issuer: 'https://login.example.com/realms/main',
    clientId: 'fairway',
    clientSecret: null,
    scopes: 'openid profile email',
    roleClaim: 'groups',
    valuesOf: { support: [], operator: [], admin: ['owners', '/gateway/admins'] },
    label: 'login.example.com',
    endsProviderSession: true,
  });
  const more = { OIDC_LABEL: 'Example Login', OIDC_LOGOUT: 'off', OIDC_ROLE_CLAIM: 'realm_access.roles' };
  const settings = readConfig({ ...OIDC, ...more, OIDC_ISSUER: 'http://localhost:9000' }).oidc;
  assert.deepEqual(
    [settings?.label, settings?.endsProviderSession, settings?.roleClaim, settings?.issuer],
    ['Example Login', false, 'realm_access.roles', 'http://localhost:9000/'],
  );
});

test('config: identity provider without what it needs → each missing variable named', () => {
  assert.throws(
    () => readConfig({ OIDC_CLIENT_SECRET: 's3cret' }),
    ({ problems }: ConfigError) => {
      assert.equal(problems.length, 4);
      for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_ADMIN_GROUPS', 'PUBLIC_URL']) {
        assert.ok(problems.some((problem) => problem.startsWith(name)));
      }
      return !problems.join().includes('s3cret');
    },
  );
});

test('config: issuer without TLS, except on this machine, and scopes without openid → refused', () => {
  for (const issuer of ['http://login.example.com', 'https://user:pw@login.example.com', 'login.example.com']) {
    assert.throws(() => readConfig({ ...OIDC, OIDC_ISSUER: issuer }), /OIDC_ISSUER must be an https URL/);
  }
  assert.throws(() => readConfig({ ...OIDC, OIDC_SCOPES: 'profile email' }), /OIDC_SCOPES must be scopes with openid/);
});

test('config: WORKERS → a number, or auto by the cores', () => {
  assert.equal(readConfig({ WORKERS: '3' }, 2).workers, 3);
  assert.equal(readConfig({ WORKERS: 'Auto' }, 16).workers, 10);
  const external = { DATABASE_URL: 'postgres://db/fairway', ENCRYPTION_KEY: KEY };
  assert.equal(readConfig({ WORKERS: 'auto', ...external }, 16).workers, 15);
  for (const WORKERS of ['0', '65', '1.5', '-1', 'many', '2 workers'])
    assert.throws(() => readConfig({ WORKERS }), { problems: ['WORKERS must be auto or a number from 1 to 64.'] });
});

test('config: connections of several workers → shares of the given number, or a number for each', () => {
  const several = readConfig({ WORKERS: '3' });
  assert.deepEqual([several.database.connectionsMax, several.upstream.connectionsMax], [24, 3072]);
  const given = { DATABASE_CONNECTIONS_MAX: '12', UPSTREAM_CONNECTIONS_MAX: '3' };
  const { database, upstream } = readConfig({ WORKERS: '3', ...given });
  assert.deepEqual([database.connectionsMax, upstream.connectionsMax], [12, 3]);
  assert.throws(() => readConfig({ WORKERS: '4', ...given }), {
    problems: [
      'DATABASE_CONNECTIONS_MAX must be at least 16: 4 for each of the 4 workers.',
      'UPSTREAM_CONNECTIONS_MAX must be at least 4: 1 for each of the 4 workers.',
    ],
  });
  assert.equal(readConfig({ WORKERS: 'auto', ...given, DATABASE_CONNECTIONS_MAX: '9' }, 16).workers, 2);
});
