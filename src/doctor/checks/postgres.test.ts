import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PostgresFacts } from '../queries.ts';
import { judgeFreeDisk } from './gateway.ts';
import { judgeVersion } from './platform.ts';
import { faultsIn } from './postgres.ts';

const NOW_MS = Date.parse('2026-11-28T00:00:00Z');
const HEALTHY: PostgresFacts = {
  versionNumber: 170_002,
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  statementTimeout: '10000ms',
  idleSessionTimeout: '0ms',
  planCacheMode: 'force_generic_plan',
  connectionsAllowed: 97,
  locksPerTransaction: 64,
  nowMs: NOW_MS,
  nodes: 2,
  oldestTransactionSeconds: 3,
  lockWaits: 0,
  idleSlots: [],
  standbyLagSeconds: null,
};
const CONTEXT = { settings: { connectionsMax: 16, messageDays: 90 }, clock: { now: () => NOW_MS } };

const FAULTS: Record<string, Partial<PostgresFacts>> = {
  'postgres-version': { versionNumber: 140_010 },
  'postgres-durability': { synchronousCommit: 'off' },
  'postgres-session': { planCacheMode: 'auto' },
  'postgres-connections': { nodes: 7 },
  'postgres-clock': { nowMs: NOW_MS - 6_000 },
  'postgres-transactions': { oldestTransactionSeconds: 3_600 },
  'postgres-locks': { lockWaits: 1 },
  'postgres-lock-table': { locksPerTransaction: 16 },
  'postgres-replication-slots': { idleSlots: ['standby'] },
  'postgres-standby-lag': { standbyLagSeconds: 120 },
};

test('postgres: a healthy server → no fault', () => {
  assert.deepEqual(faultsIn(HEALTHY, CONTEXT), []);
});

for (const [id, change] of Object.entries(FAULTS)) {
  test(`postgres: ${JSON.stringify(change)} → ${id} alone`, () => {
    assert.deepEqual(faultsIn({ ...HEALTHY, ...change }, CONTEXT), [id]);
  });
}

test('graph version: near its end, past it, none, unknown → warning, failed, warning, ok', () => {
  const judge = (version: string) => judgeVersion(`https://graph.facebook.com${version}`, NOW_MS).status;
  assert.deepEqual(['/v21.0', '/v20.0', '', '/v99.0', '/v2.12'].map(judge), [
    'warning',
    'failed',
    'warning',
    'ok',
    'failed',
  ]);
});

test('spool: 100 MiB left → warning', () => {
  assert.equal(judgeFreeDisk(100 * 1024 * 1024).status, 'warning');
});
