import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { fakeDatabase } from '../../../test/harness/fake-database.ts';
import { QueueTable } from '../../../test/support/outbound-webhooks/queue-table.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Statement } from '../../database/database.ts';
import { AttemptRecorder } from './attempt-recorder.ts';

test('attempt recorder: attempt changes the health → the health is written first', async () => {
  const written: unknown[] = [];
  const query = async ({ name }: Statement) => {
    written.push(name);
    return [];
  };
  const db = fakeDatabase({ query });
  const recorder = new AttemptRecorder({ db, clock: systemClock, log: pino({ level: 'silent' }) });
  const row = new QueueTable().insert(null);
  const attempt = { atMs: 0, httpStatus: 503, failure: null, latencyMs: 1, answer: null };
  await Promise.all([
    recorder.noteHealth({ organizationId: 'o', id: 'e', updatedAtMs: 0, failuresInRow: 1, failingSinceMs: 0 }),
    recorder.postpone({ row, attempts: 1, attempt, dueAtMs: 1, isRefused: false }, false),
  ]);
  await recorder.drain();
  assert.equal(written[0], 'webhook_endpoint_update_health');
  assert.ok(written.length > 1);
});

test('attempt recorder: two results of one delivery or endpoint → last one written once', async () => {
  const written = new Map<string | undefined, unknown[]>();
  const query = async ({ name, values = [] }: Statement) => {
    written.set(name, values);
    return [];
  };
  const db = fakeDatabase({ query });
  const recorder = new AttemptRecorder({ db, clock: systemClock, log: pino({ level: 'silent' }) });
  const row = new QueueTable().insert(null);
  const attempt = { atMs: 0, httpStatus: null, failure: 'expired', latencyMs: 0, answer: null };
  const endpoint = { organizationId: 'o', id: 'e', updatedAtMs: 0, failingSinceMs: 0 };
  for (const count of [1, 2]) {
    void recorder.settle({ row, delivered: false, attempts: count, attempt }, false);
    void recorder.noteHealth({ ...endpoint, failuresInRow: count });
  }
  await recorder.drain();
  assert.deepEqual(written.get('webhook_delivery_record')?.[8], [2]);
  assert.deepEqual(written.get('webhook_endpoint_update_health')?.[2], [2]);
});
