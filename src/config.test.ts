import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const OLD_KEY = Buffer.alloc(32, 8).toString('base64');

test('an empty environment gives the documented defaults', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    publicUrl: null,
    dataDir: resolve('data'),
    logLevel: 'info',
    database: { url: null, connectionsMax: 16 },
    upstream: {
      baseUrl: null,
      connectionsMax: 1024,
      appId: null,
      appSecrets: [],
      verifyToken: null,
      appSecretProof: false,
    },
    encryptionKeys: [],
    adminToken: null,
    fetchAllowCidrs: [],
    roles: ['api', 'dispatch', 'deliver'],
    messageRetentionDays: 90,
    webhookRetentionDays: 14,
  });
});

test('a full environment is read into strict values', () => {
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
  assert.equal(config.upstream.appSecretProof, true);
  assert.equal(config.logLevel, 'debug');
  assert.deepEqual(config.roles, ['api', 'deliver']);
  assert.equal(config.messageRetentionDays, 30);
});

test('an empty variable counts as unset', () => {
  assert.equal(readConfig({ DATABASE_URL: ' ', PORT: '' }).port, 8080);
});

test('a value that was left in its quotes is refused, not taken for a secret that has them', () => {
  for (const quoted of [`"s3cret"`, `'s3cret'`, `"`.repeat(2)]) {
    assert.throws(() => readConfig({ UPSTREAM_APP_SECRET: quoted, ADMIN_TOKEN: quoted }), {
      problems: ['UPSTREAM_APP_SECRET', 'ADMIN_TOKEN'].map(
        (name) => `${name} must not stand in quotes: what set it has left them in the value.`,
      ),
    });
  }
});

test('a database password with a bare # or / is refused, for half of it would be looked up as a host', () => {
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

test('a Unix socket is named as libpq has it: nobody between @ and /, its directory as host', () => {
  const socket = 'host=/run/postgresql';
  for (const [url, read] of [
    [`postgres://user:p%40ss@/fairway?${socket}`, `postgres://user:p%40ss@localhost/fairway?${socket}`],
    [`postgresql://user@:5433/fairway?${socket}`, `postgresql://user@localhost:5433/fairway?${socket}`],
  ]) {
    assert.equal(readConfig({ DATABASE_URL: url, ENCRYPTION_KEY: KEY }).database.url, read);
  }
  assert.throws(() => readConfig({ DATABASE_URL: 'postgres://user@/fairway', ENCRYPTION_KEY: KEY }), ConfigError);
});

test('a database of its own needs an encryption key from the environment', () => {
  assert.throws(
    () => readConfig({ DATABASE_URL: 'postgres://db/fairway' }),
    (error) =>
      error instanceof ConfigError && error.problems.length === 1 && /^ENCRYPTION_KEY/.test(error.problems[0] ?? ''),
  );
});

test('an address range is refused when it can be read in two ways or would never match', () => {
  for (const range of ['10/8', '010.0.0.0/8', '::ffff:10.0.0.0/104', '10.0.0.0']) {
    assert.throws(() => readConfig({ FETCH_ALLOW_CIDRS: range }), ConfigError, range);
  }
});

test('every problem of the environment is told in one error, without a secret in it', () => {
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

test('a base URL that ends in an empty query or fragment is refused: every path behind it would be a part of that', () => {
  for (const name of ['PUBLIC_URL', 'UPSTREAM_BASE_URL'])
    for (const end of ['?', '#', '/?', '/#'])
      assert.throws(
        () => readConfig({ [name]: `https://messaging.example.com${end}` }),
        new RegExp(`${name} must be`),
        end,
      );
});

test('what is to be proven to the platform has to be known', () => {
  const real = { UPSTREAM_BASE_URL: 'https://graph.facebook.com/v24.0', UPSTREAM_APP_SECRET_PROOF: 'on' };
  assert.throws(() => readConfig(real), {
    problems: [
      'UPSTREAM_APP_SECRET must be set when UPSTREAM_APP_SECRET_PROOF is on: it is what is proven to be known.',
    ],
  });
  assert.equal(readConfig({ ...real, UPSTREAM_APP_SECRET: 'secret' }).upstream.appSecretProof, true);
  assert.equal(
    readConfig({ UPSTREAM_APP_SECRET_PROOF: 'on' }).upstream.appSecretProof,
    true,
    'the simulated platform has a secret',
  );
});

test('a setting that is wrong by itself is told of, also where another one hangs on it', () => {
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

test('a node without the API needs a platform: the simulated one is set up through the API', () => {
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
