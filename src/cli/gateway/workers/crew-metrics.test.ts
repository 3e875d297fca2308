import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics, type MetricSet } from '../../../telemetry/index.ts';
import type { Member } from './crew.ts';
import { CrewMetrics } from './crew-metrics.ts';

/** A crew of workers that answer, or do not while `isSilent`. */
function createCrew() {
  const members: (Member & { sent: number; isSilent: boolean })[] = [];
  const metrics = new CrewMetrics(() => members);
  const read = ({ sent }: { sent: number }): Promise<MetricSet> => {
    const own = createMetrics();
    own.counters('sent_total', 'Sent.', 'result', ['ok']).ok.inc(sent);
    own.gauge('workers', 'Workers.', () => 1);
    return own.read();
  };
  const add = (number: number, sent: number) => {
    const member: (typeof members)[number] = {
      number,
      sent,
      isSilent: false,
      send(message) {
        if (message.kind !== 'read_metrics' || member.isSilent) return;
        void read(member).then((set) => metrics.answered(message.id, set));
      },
    };
    members.push(member);
    return member;
  };
  const gather = async (asking: (typeof members)[number]) => {
    const text = await metrics.gather(asking, await read(asking));
    const readOf = (name: string) => Number(new RegExp(`^fairway_${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
    return { sent: readOf('sent_total'), workers: readOf('workers'), text };
  };
  const remove = (member: (typeof members)[number]) => {
    members.splice(members.indexOf(member), 1);
    metrics.ended(member.number);
  };
  return { add, remove, gather };
}

test('metrics of workers: asked at either → the same sums', async () => {
  const crew = createCrew();
  const [first, second] = [crew.add(1, 10), crew.add(2, 5)];
  for (const asking of [first, second]) {
    const { sent, workers } = await crew.gather(asking);
    assert.deepEqual({ sent, workers }, { sent: 15, workers: 2 });
  }
});

test('metrics of workers: one does not answer → its last counters, no gauges, and counted', async () => {
  const crew = createCrew();
  const [first, second] = [crew.add(1, 10), crew.add(2, 5)];
  await crew.gather(first);
  second.isSilent = true;
  const { sent, workers, text } = await crew.gather(first);
  assert.deepEqual({ sent, workers }, { sent: 15, workers: 1 });
  assert.match(text, /^fairway_worker_events_total\{event="metrics_late"\} 1$/m);
});

test('metrics of workers: one ended and was replaced → the sum does not fall', async () => {
  const crew = createCrew();
  const [first, second] = [crew.add(1, 10), crew.add(2, 5)];
  await crew.gather(first);
  crew.remove(second);
  assert.equal((await crew.gather(first)).sent, 15);
  crew.add(2, 1);
  const { sent, workers } = await crew.gather(first);
  assert.deepEqual({ sent, workers }, { sent: 16, workers: 2 });
});
