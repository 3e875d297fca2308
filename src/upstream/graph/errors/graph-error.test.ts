import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorTextOf, type GraphError, graphErrorOf, platformErrorOf, providerErrorOf } from './graph-error.ts';

function error(fields: object, secret?: string): GraphError {
  const read = graphErrorOf(fields, secret);
  assert.ok(read !== null);
  return read;
}

const texts: [string, object, string][] = [
  ['details first', { message: 'm', error_user_msg: 'u', error_data: { details: 'd' } }, 'd'],
  ['details in a JSON string', { message: 'm', error_data: '{"details":"d"}' }, 'd'],
  ['plain text for details', { message: 'm', error_data: 'plain words' }, 'plain words'],
  ['no details in a JSON string', { message: 'm', error_data: '{"blame_field_specs":[["name"]]}' }, 'm'],
  ['no details in an object', { message: 'm', error_user_msg: 'u', error_data: { blame_field_specs: [] } }, 'u'],
  ['empty details', { message: 'm', error_data: { details: '' } }, 'm'],
  ['blank text for details', { message: 'm', error_data: '  ' }, 'm'],
  ['details that are no text', { message: 'm', error_data: { details: { a: 1 } } }, 'm'],
  ['a list for details', { message: 'm', error_data: ['x'] }, 'm'],
  ['the message alone', { message: 'm' }, 'm'],
  ['the title without a message', { title: 't' }, 't'],
  ['nothing at all', {}, 'The platform gave no explanation.'],
];
for (const [what, fields, expected] of texts) {
  test(`error text: ${what} → first text in order of preference`, () => {
    assert.equal(errorTextOf(error(fields)), expected);
  });
}

test('provider error: always has its three fields', () => {
  const full = { code: 100, error_user_title: 't', error_user_msg: 'u', message: 'm', error_data: { details: 'd' } };
  assert.deepEqual(providerErrorOf(error(full)), { code: 100, error_user_title: 't', error_user_msg: 'u' });
  assert.deepEqual(providerErrorOf(error({ code: 5, message: 'm', error_data: { details: 'd' } })), {
    code: 5,
    error_user_title: 'm',
    error_user_msg: 'd',
  });
  assert.deepEqual(providerErrorOf(error({ code: 5, message: 'm' })), {
    code: 5,
    error_user_title: 'm',
    error_user_msg: 'm',
  });
  const bare = providerErrorOf(error({}));
  assert.equal(bare.code, 1);
  assert.ok(bare.error_user_title !== '' && bare.error_user_msg !== '');
});

test('code: number or digits → read, anything else → null', () => {
  assert.equal(error({ code: '131009', error_subcode: '33' }).code, 131009);
  assert.equal(error({ error_subcode: '33' }).subcode, 33);
  for (const code of ['', 'x', '1.5', 1.5, null, true, [1], { a: 1 }, '9'.repeat(20)]) {
    assert.equal(error({ code }).code, null, JSON.stringify(code));
  }
});

test('error: counts only if the platform itself wrote it', () => {
  assert.equal(platformErrorOf(null, ''), null);
  assert.equal(platformErrorOf({}, ''), null);
  assert.equal(platformErrorOf({ error: 'text' }, ''), null);
  assert.equal(platformErrorOf({ error: { message: 'proxy' } }, ''), null);
  assert.equal(platformErrorOf({ error: { fbtrace_id: 'A' } }, '')?.traceId, 'A');
  assert.equal(platformErrorOf({ error: { code: 0 } }, '')?.code, 0);
  assert.equal(platformErrorOf(JSON.parse('{"__proto__":{"error":{"code":1}}}'), ''), null);
});

test('error texts: storable and without the token', () => {
  const secret = 'EAAGsecret';
  const dirty = error({ message: `a\u0000b\ud800 ${secret} ${secret}`, error_data: `token ${secret}` }, secret);
  assert.equal(dirty.message, 'a\ufffdb\ufffd [token] [token]');
  assert.equal(dirty.details, 'token [token]');
  assert.equal(error({ message: 'x'.repeat(100_000) }).message?.length, 4096);
});

test('error: not an object → null', () => {
  for (const value of [null, undefined, 'x', 1, true, []]) assert.equal(graphErrorOf(value), null);
});
