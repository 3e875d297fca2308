import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../telemetry/index.ts';
import { type NumberReading, NumberSeries } from './number-series.ts';

const STATE = { pacePerSecond: 40, allowedPerSecond: 80, parked: false };

function publish() {
  const series = new NumberSeries();
  const metrics = createMetrics();
  const open: NumberReading[] = [];
  series.publish(metrics, () => open);
  const openNumber = (phoneNumberId: string): NumberReading => {
    const number = { phoneNumberId, posts: series.enter(), ...STATE };
    open.push(number);
    return number;
  };
  const valuesOf = async (name: string): Promise<Record<string, number>> => {
    const { text } = await metrics.render();
    const lines = text.matchAll(new RegExp(`^fairway_${name}\\{phone_number_id="(.+)"\\} (.+)$`, 'gm'));
    return Object.fromEntries(Array.from(lines, ([, id = '', value]) => [id, Number(value)]));
  };
  return { series, open, openNumber, valuesOf };
}

test('series of numbers: a number is closed → its series end', async () => {
  const { series, open, openNumber, valuesOf } = publish();
  const [first, second] = [openNumber('8001'), openNumber('8002')];
  first.posts.posts += 3;
  second.posts.throttled += 1;
  assert.deepEqual(await valuesOf('number_posts_total'), { 8001: 3, 8002: 0, other: 0 });
  assert.deepEqual(await valuesOf('number_throttled_total'), { 8001: 0, 8002: 1, other: 0 });
  assert.deepEqual(await valuesOf('number_pace_per_second'), { 8001: 40, 8002: 40 });
  series.leave(first.posts);
  open.shift();
  assert.deepEqual(await valuesOf('number_posts_total'), { 8002: 0, other: 0 });
  assert.deepEqual(await valuesOf('number_parked'), { 8002: 0 });
});

test('series of numbers: more than 200 → the rest share one label, also when a place is free', async () => {
  const { series, open, openNumber, valuesOf } = publish();
  const first = openNumber('first');
  const numbers = [first, ...Array.from({ length: 201 }, (_, index) => openNumber(String(index)))];
  for (const { posts } of numbers) posts.posts += 1;
  const counted = await valuesOf('number_posts_total');
  assert.equal(Object.keys(counted).length, 201);
  assert.equal(counted.other, 2);
  assert.equal((await valuesOf('number_allowed_per_second')).other, 160);

  series.leave(first.posts);
  open.shift();
  assert.equal((await valuesOf('number_posts_total')).other, 2);
  openNumber('late');
  assert.equal((await valuesOf('number_posts_total')).late, 0);
});
