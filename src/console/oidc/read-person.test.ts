import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Claims, readPerson, roleOf } from './read-person.ts';

const ISSUER = 'https://login.example.com';
const VALUES = { support: ['help-desk'], operator: ['on-call'], admin: ['owners'] };

describe('the person in claims', () => {
  const read = (claims: Claims) => readPerson({ iss: ISSUER, ...claims });

  it('name, then user name, then email, then sub: the first that is a printable text', () => {
    const sub = 'ada-1';
    assert.equal(read({ sub, name: 'Ada', preferred_username: 'ada', email: 'a@b.c' })?.name, 'Ada');
    assert.equal(read({ sub, name: ' ', preferred_username: 'ada', email: 'a@b.c' })?.name, 'ada');
    assert.equal(read({ sub, name: 7, email: 'a@b.c' })?.name, 'a@b.c');
    assert.deepEqual(read({ sub }), { issuer: ISSUER, subject: sub, email: null, name: sub });
  });

  it('control characters, marks of direction, half characters: never reach the audit log', () => {
    const person = read({ sub: 's', name: `A\u0000d\u202ea\nX\ud800${'y'.repeat(500)}` });
    assert.equal(person?.name.slice(0, 5), 'AdaXy');
    assert.ok((person?.name.length ?? 999) <= 200 && person?.name.isWellFormed());
  });

  it('no sub, or one that OpenID Connect forbids → nobody', () => {
    for (const sub of [undefined, '', 7, 'x'.repeat(256), 'a\u0000b', 'ä']) assert.equal(read({ sub }), undefined);
  });
});

describe('the role in claims', () => {
  const role = (claims: Claims, roleClaim = 'groups') => roleOf(claims, { roleClaim, valuesOf: VALUES });

  it('a list or a text: the strongest role counts', () => {
    assert.equal(role({ groups: ['help-desk', 'owners', 'on-call'] }), 'admin');
    assert.equal(role({ groups: ['help-desk', 'sales'] }), 'support');
    assert.equal(role({ groups: 'on-call' }), 'operator');
  });

  it('a path, and a name with dots', () => {
    assert.equal(role({ realm_access: { roles: ['owners'] } }, 'realm_access.roles'), 'admin');
    assert.equal(role({ 'https://example.com/roles': ['owners'] }, 'https://example.com/roles'), 'admin');
  });

  it('no claim, other values, other shapes, names of the prototype → no role', () => {
    const shapes = [undefined, null, {}, ['Owners'], 'owners,sales', 'owners ', [['owners']], { owners: true }, 1];
    for (const groups of shapes) assert.equal(role({ groups }), undefined);
    for (const name of ['constructor', '__proto__.x', 'toString.name', '']) assert.equal(role({}, name), undefined);
  });
});
