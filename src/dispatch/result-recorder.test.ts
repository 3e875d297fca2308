import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { systemClock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import { ResultRecorder } from './result-recorder.ts';

const MESSAGE = { organizationId: 'o', messageId: 'm', numberId: 1, flowId: 4, seq: 1 };

test('results of other shards that keep coming do not keep a shard from being given back', async (t) => {
  let writes = 0;
  const recorder = new ResultRecorder({
    db: {
      query: async () => {
        writes += 1;
        await new Promise((resolve) => setImmediate(resolve));
        return [];
      },
    } as unknown as Database,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    nodeId: 'n',
    onSettled() {},
    onEarlyStatuses() {},
  });
  const { promise: manyWrites, resolve } = Promise.withResolvers<string>();
  let coming: NodeJS.Immediate;
  const submit = () => {
    void recorder.complete(MESSAGE, { kind: 'sent', wamid: 'wamid.1' });
    if (writes >= 50) resolve('still not drained');
    else coming = setImmediate(submit);
  };
  submit();
  t.after(() => clearImmediate(coming));
  assert.equal(await Promise.race([recorder.drain().then(() => 'drained'), manyWrites]), 'drained');
});
