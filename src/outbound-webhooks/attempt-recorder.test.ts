import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../core/clock.ts';
import type { Database, Statement } from '../database/database.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { QueueTable } from './testing/queue-table.ts';

test('how an endpoint fares is written before the attempt that says so can be seen', async () => {
  const written: unknown[] = [];
  const query = async ({ name }: Statement) => {
    written.push(name);
    return [];
  };
  const db = { query } as unknown as Database;
  const recorder = new AttemptRecorder({ db, clock: systemClock, log: pino({ level: 'silent' }) });
  const row = new QueueTable().insert(null);
  const attempt = { atMs: 0, httpStatus: 503, failure: null, latencyMs: 1, answer: null };
  await Promise.all([
    recorder.noteHealth({ organizationId: 'o', id: 'e', updatedAtMs: 0, failuresInRow: 1, failingSinceMs: 0 }),
    recorder.postpone({ row, attempts: 1, attempt, dueAtMs: 1 }),
  ]);
  await recorder.drain();
  assert.equal(written[0], 'webhook_endpoint_update_health');
  assert.ok(written.length > 1);
});
