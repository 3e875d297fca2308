import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { type Clock, systemClock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { ResultRecorder } from './result-recorder.ts';

const MESSAGE = { organizationId: 'o', messageId: 'm', numberId: 1, flowId: 4, seq: 1 };
const SENT = { kind: 'sent', wamid: 'wamid.1' } as const;

function openRecorder(clock: Clock) {
  const counted = { writes: 0 };
  const recorder = new ResultRecorder({
    db: {
      query: async () => {
        counted.writes += 1;
        await turn();
        return [];
      },
    } as unknown as Database,
    clock,
    log: pino({ level: 'silent' }),
    nodeId: 'n',
    isAwaited: () => false,
    onSettled() {},
    onEarlyStatuses() {},
  });
  return { recorder, counted };
}

test('drain: results of other shards keep arriving → still resolves', async (t) => {
  const { recorder, counted } = openRecorder(systemClock);
  const { promise: manyWrites, resolve } = Promise.withResolvers<string>();
  let coming: NodeJS.Immediate;
  const submit = () => {
    void recorder.complete(MESSAGE, SENT);
    if (counted.writes >= 50) resolve('still not drained');
    else coming = setImmediate(submit);
  };
  submit();
  t.after(() => clearImmediate(coming));
  assert.equal(await Promise.race([recorder.drain().then(() => 'drained'), manyWrites]), 'drained');
});

test('journal rows: results keep arriving → deleted with them, alone only after 0.5 s', async () => {
  const clock = createManualClock();
  const { recorder, counted } = openRecorder(clock);
  const pass = async (ms: number) => {
    clock.advance(ms);
    for (let turns = 0; turns < 3; turns += 1) await turn();
  };
  for (let batch = 1; batch <= 50; batch += 1) {
    void recorder.complete(MESSAGE, SENT);
    await pass(0);
    recorder.finishJournal({ shard: 1, batch });
    await pass(50);
  }
  assert.equal(counted.writes, 50);
  await pass(449);
  assert.equal(counted.writes, 50);
  await pass(1);
  assert.equal(counted.writes, 51);
});
