import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeDatabase } from '../../../test/harness/fake-database.ts';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import type { Statement } from '../../database/database.ts';
import { createMetrics } from '../../telemetry/index.ts';
import { RecentAcceptances } from './recent-acceptances.ts';

const ORGANIZATION = '01900000-0000-7000-8000-000000000001';
const keyOf = (id: string) => ({ organizationId: ORGANIZATION, id });

/** Acceptances over a database that has the messages of `stored`. */
function create(stored: ReadonlySet<string>) {
  const clock = createManualClock();
  const metrics = createMetrics();
  const lines: { lost?: number; messages?: unknown }[] = [];
  const log = { error: (line: object) => void lines.push(line), info: (line: object) => void lines.push(line) };
  const query = async ({ values = [] }: Statement) =>
    (values[1] as string[]).filter((id) => stored.has(id)).map((id) => ({ id }));
  const recent = new RecentAcceptances({ db: fakeDatabase({ query }), clock, log: log as never, metrics });
  const lost = async () =>
    /accepted_messages_lost_total\{cause="failover"\} (\d+)/.exec((await metrics.render()).text)?.[1];
  return { recent, clock, lines, lost };
}

test('failover: accepted messages are missing → named in the log and counted, once', async () => {
  const { recent, lines, lost } = create(new Set(['a', 'c']));
  recent.note(['a', 'b'].map(keyOf));
  recent.note(['c', 'd'].map(keyOf));
  await recent.reportLost();
  assert.deepEqual(lines, [{ lost: 2, looked_up: 4, messages: ['b', 'd'].map(keyOf) }]);
  assert.equal(await lost(), '2');
  await recent.reportLost();
  assert.deepEqual(lines[1], { looked_up: 2 });
  assert.equal(await lost(), '2');
});

test('failover: messages older than a minute, or beyond the newest 50,000 → not looked up', async () => {
  const { recent, clock, lines } = create(new Set());
  recent.note([keyOf('old')]);
  clock.advance(61_000);
  await recent.reportLost();
  assert.deepEqual(lines, [{ looked_up: 0 }]);
  const many = Array.from({ length: 50_000 }, (_, place) => keyOf(`m${place}`));
  recent.note([keyOf('first')]);
  recent.note(many);
  await recent.reportLost();
  assert.equal(lines[1]?.lost, 50_000);
});
