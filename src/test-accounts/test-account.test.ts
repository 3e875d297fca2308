import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { findAccountOfToken, isTestNumberId, isTestWabaId, testAccountOf } from './test-account.ts';

test('test account: same organization, any letter case → same account, found by its token', () => {
  const id = '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30';
  const account = testAccountOf(id);
  assert.deepEqual(testAccountOf(id.toUpperCase()), account);
  assert.deepEqual(findAccountOfToken(account.accessToken), account);
  assert.ok(isTestWabaId(account.wabaId) && isTestNumberId(account.phoneNumberId));
  assert.ok(!isTestWabaId(account.phoneNumberId) && !isTestNumberId(account.wabaId));
});

test('test account: many organizations → ids of their own', () => {
  const accounts = Array.from({ length: 10_000 }, () => testAccountOf(randomUUID()));
  assert.equal(new Set(accounts.flatMap(({ wabaId, phoneNumberId }) => [wabaId, phoneNumberId])).size, 20_000);
});

test('test account: tokens and ids of another form → none', () => {
  const { wabaId } = testAccountOf('a');
  for (const token of ['', 'EAAx', wabaId, 'simulator:', `simulator:${wabaId}0`, `EAA:${wabaId}`])
    assert.equal(findAccountOfToken(token), undefined, token);
  for (const id of ['', '102000000000001', `${wabaId}0`, `x${wabaId}`])
    assert.ok(!isTestWabaId(id) && !isTestNumberId(id));
});
