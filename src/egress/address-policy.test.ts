import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CLOSED_ADDRESSES } from '../../test/support/egress/attack-hosts.ts';
import { createAddressPolicy } from './address-policy.ts';

const strict = createAddressPolicy({ allowCidrs: [], denyCidrs: [] });

test('address policy: only globally reachable unicast addresses → public', () => {
  for (const address of CLOSED_ADDRESSES) assert.equal(strict.judge(address), 'blocked', address);
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
  ]) {
    assert.equal(strict.judge(address), 'public', address);
  }
});

test('address policy: text that is no canonical address → blocked', () => {
  for (const text of [
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '8.8.8',
    '8.8.8.8/32',
    ' 8.8.8.8',
    '[::1]',
  ]) {
    assert.equal(strict.judge(text), 'blocked', text);
  }
});

test('address policy: any address inside a private range → blocked', () => {
  const inPrivateRange = fc
    .tuple(
      fc.constantFrom('10', '127', '0', '169.254', '192.168', '172.20', '100.70', '198.18'),
      fc.array(fc.nat(255), { minLength: 3, maxLength: 3 }),
    )
    .map(([prefix, rest]) => [...prefix.split('.'), ...rest].slice(0, 4).join('.'));
  fc.assert(
    fc.property(inPrivateRange, (address) => {
      assert.equal(strict.judge(address), 'blocked');
      assert.equal(strict.judge(`::ffff:${address}`), 'blocked');
      assert.equal(strict.judge(`64:ff9b::${address}`), 'blocked');
    }),
  );
});

test('address policy: allow-list → opens exactly its ranges, mapped too; beats the deny-list', () => {
  const policy = createAddressPolicy({
    allowCidrs: ['10.1.0.0/16', 'fd00::/64'],
    denyCidrs: ['10.1.0.5/32', '8.8.8.8/32'],
  });
  assert.equal(policy.hasAllowList, true);
  for (const address of ['10.1.0.0', '10.1.255.255', '10.1.0.5', '::ffff:10.1.2.3', 'fd00::9']) {
    assert.equal(policy.judge(address), 'allowed', address);
  }
  for (const address of ['10.0.255.255', '10.2.0.0', 'fd00:0:0:1::', '127.0.0.1', '64:ff9b::10.1.0.0', '8.8.8.8']) {
    assert.equal(policy.judge(address), 'blocked', address);
  }
  assert.equal(policy.judge('8.8.4.4'), 'public');
});

test('address policy: malformed ranges → refused, all named in one error', () => {
  const wrong = [
    '10.0.0.0',
    '10.0.0.0/33',
    '10/8',
    'fd00::/129',
    'x/8',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/0x8',
    '::ffff:10.0.0.0/104',
  ];
  for (const cidrs of [wrong, ...wrong.map((cidr) => [cidr])]) {
    assert.throws(() => createAddressPolicy({ allowCidrs: ['10.0.0.0/8', ...cidrs], denyCidrs: [] }), {
      name: 'TypeError',
      message: `not a CIDR range: ${cidrs.join(', ')}`,
    });
  }
});
