import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeDatabaseUrl, listTargets } from './database-url.ts';

/** The servers and ways of a URL, in order: `host:port/database`, with `tls` or `plain`. */
function read(url: string): string[] {
  return listTargets(url).map((target) => {
    const { host, port = 5432, database, ssl } = target.configure();
    assert.equal(target.name, `${host}:${port}`);
    return `${host}:${port}/${database} ${ssl ? 'tls' : 'plain'}`;
  });
}

test('database URL: several servers → each with the same user, database and parameters', () => {
  assert.deepEqual(
    read('postgres://u:p%40ss@one,two:5433,[::1]:5434/db?sslmode=require&target_session_attrs=read-write'),
    ['one:5432/db tls', 'two:5433/db tls', '::1:5434/db tls'],
  );
  const [first] = listTargets('postgres://u:p%40ss@one,two/db?options=-c%20a%3Db&application_name=billing');
  const { user, password, options, application_name: applicationName } = first?.configure() ?? {};
  assert.deepEqual(
    { user, password, options, applicationName },
    {
      user: 'u',
      password: 'p@ss',
      options: '-c a=b',
      applicationName: 'billing',
    },
  );
});

test('database URL: hosts in the query → as those before the path, one port for all', () => {
  assert.deepEqual(read('postgres://u@localhost/db?host=one,two&port=5433,5434&sslmode=disable'), [
    'one:5433/db plain',
    'two:5434/db plain',
  ]);
  assert.deepEqual(read('postgres://u@localhost/db?host=one,two&port=5433&sslmode=disable'), [
    'one:5433/db plain',
    'two:5433/db plain',
  ]);
  assert.deepEqual(read('postgres://u@localhost/db?host=/run/postgresql&sslmode=require'), [
    '/run/postgresql:5432/db plain',
  ]);
});

test('sslmode: the ways of libpq, in its order', () => {
  const ways = (mode: string) => read(`postgres://h/db${mode}`).map((way) => way.split(' ')[1]);
  assert.deepEqual(ways(''), ['tls', 'plain']);
  assert.deepEqual(ways('?sslmode=prefer'), ['tls', 'plain']);
  assert.deepEqual(ways('?sslmode=allow'), ['plain', 'tls']);
  assert.deepEqual(ways('?sslmode=disable'), ['plain']);
  for (const mode of ['require', 'no-verify', 'verify-full']) assert.deepEqual(ways(`?sslmode=${mode}`), ['tls'], mode);
});

test('sslmode: only verify-full and the system authorities check the name', () => {
  const tls = (parameters: string) => listTargets(`postgres://h/db?${parameters}`)[0]?.configure().ssl;
  for (const mode of ['allow', 'prefer', 'require', 'no-verify']) {
    const [target] = listTargets(`postgres://h/db?sslmode=${mode}`).filter((each) => each.configure().ssl);
    assert.deepEqual({ ...(target?.configure().ssl as object) }, { rejectUnauthorized: false }, mode);
  }
  for (const parameters of ['sslmode=verify-full', 'sslrootcert=system', 'sslmode=require&sslrootcert=system'])
    assert.deepEqual({ ...(tls(parameters) as object) }, {}, parameters);
});

test('channel_binding: tried with TLS, left out when disabled, demanded when required', () => {
  const of = (parameters: string) => {
    const [target] = listTargets(`postgres://h/db?sslmode=require${parameters}`);
    return [target?.configure().enableChannelBinding, target?.requiresChannelBinding];
  };
  assert.deepEqual(of(''), [true, false]);
  assert.deepEqual(of('&channel_binding=disable'), [false, false]);
  assert.deepEqual(of('&channel_binding=require'), [true, true]);
});

test('connect_timeout: at least two seconds, as in libpq; none → the default', () => {
  const of = (seconds: string) =>
    listTargets(`postgres://h/db?connect_timeout=${seconds}`)[0]?.configure().connectionTimeoutMillis;
  assert.deepEqual(['1', '9', '0'].map(of), [2_000, 9_000, undefined]);
});

test('database URL: unknown value, or a server without writes → refused with the parameter', () => {
  for (const [parameter, name] of [
    ['sslmode=on', 'sslmode'],
    ['channel_binding=always', 'channel_binding'],
    ['target_session_attrs=standby', 'target_session_attrs'],
  ]) {
    const [target] = listTargets(`postgres://h/db?${parameter}`);
    assert.throws(() => target?.configure(), { message: new RegExp(`^${name} must be one of `) });
  }
});

test('database URL: one server of several is invalid → refused', () => {
  assert.equal(completeDatabaseUrl('postgres://u:p@one:5432,two:5433/db'), 'postgres://u:p@one:5432,two:5433/db');
  for (const url of ['postgres://one,two:port/db', 'mysql://one,two/db', 'postgres://u:p@ss#word@one,two/db'])
    assert.equal(completeDatabaseUrl(url), undefined, url);
});
