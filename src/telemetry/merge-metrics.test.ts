import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { lastingOf, mergeMetrics, renderMerged } from './merge-metrics.ts';
import { createMetrics, type MetricSet } from './metrics.ts';

/** Returns the metrics of a process as they arrive in another one. */
async function readProcess({ sent, seconds, waiting }: { sent: number; seconds: number; waiting?: number }) {
  const metrics = createMetrics();
  metrics.counters('sent_total', 'Sent.', 'result', ['ok', 'failed']).ok.inc(sent);
  metrics.histogram('seconds', 'Time.', [1, 10]).observe(seconds);
  metrics.gauge('in_flight', 'In flight.', () => sent);
  metrics.gauge('waiting', 'Waiting on all nodes.', () => waiting, 'max');
  metrics.series('counter', 'posts_total', 'Posts.', 'phone_number_id', () => [[`number ${sent}`, sent]]);
  return deserialize(serialize(await metrics.read())) as MetricSet;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test('merged metrics: counters and histograms → sums; gauges → by their meaning', async () => {
  const sets = [
    await readProcess({ sent: 3, seconds: 0.5, waiting: 7 }),
    await readProcess({ sent: 4, seconds: 5, waiting: 9 }),
  ];
  assert.deepEqual(linesOf(await renderMerged(sets)), [
    'fairway_sent_total{result="ok"} 7',
    'fairway_sent_total{result="failed"} 0',
    'fairway_seconds_bucket{le="1"} 1',
    'fairway_seconds_bucket{le="10"} 2',
    'fairway_seconds_bucket{le="+Inf"} 2',
    'fairway_seconds_sum 5.5',
    'fairway_seconds_count 2',
    'fairway_in_flight 7',
    'fairway_waiting 9',
    'fairway_posts_total{phone_number_id="number 3"} 3',
    'fairway_posts_total{phone_number_id="number 4"} 4',
  ]);
});

test('merged metrics: a gauge that one process does not know → the value of the others', async () => {
  const [known, unknown] = [
    await readProcess({ sent: 1, seconds: 1, waiting: 5 }),
    await readProcess({ sent: 1, seconds: 1 }),
  ];
  assert.ok(linesOf(await renderMerged([unknown, known])).includes('fairway_waiting 5'));
  assert.ok(linesOf(await renderMerged([unknown, unknown])).includes('fairway_waiting Nan'));
});

test('merged metrics: metrics of the process → CPU time is summed, the start is the first one', async () => {
  const metrics = createMetrics();
  metrics.includeProcess();
  const set = await metrics.read();
  const readOf = (sets: MetricSet, name: string) => sets.find((metric) => metric.name === name)?.values[0]?.value ?? 0;
  const merged = await mergeMetrics([set, set]);
  const [cpu, start] = ['process_cpu_seconds_total', 'process_start_time_seconds'];
  assert.equal(readOf(merged, cpu), 2 * readOf(set, cpu));
  assert.equal(readOf(merged, start), readOf(set, start));
});

test('merged metrics: an ended process → its counters stay in the sum, its gauges do not', async () => {
  const ended = lastingOf(await readProcess({ sent: 3, seconds: 1, waiting: 50 }));
  const living = await readProcess({ sent: 4, seconds: 1, waiting: 9 });
  const lines = linesOf(await renderMerged([living, await mergeMetrics([[], ended])]));
  for (const line of [
    'fairway_sent_total{result="ok"} 7',
    'fairway_seconds_count 2',
    'fairway_in_flight 4',
    'fairway_waiting 9',
  ])
    assert.ok(lines.includes(line), line);
});
