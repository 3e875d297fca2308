import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import {
  conclude,
  createQueue,
  delivered,
  fill,
  insert,
  retryIn,
  signer,
  tableOf,
  takeAll,
} from '../../../test/support/outbound-webhooks/endpoint-queue.ts';
import { QueueTable } from '../../../test/support/outbound-webhooks/queue-table.ts';
import { sampleEndpoint } from '../../../test/support/outbound-webhooks/sample-endpoint.ts';

describe('circuit breaker of an endpoint', () => {
  it('ten failures in a row → one probe per interval; one success → everything goes', () => {
    const table = tableOf(100);
    const queue = createQueue();
    let nowMs = 0;
    let failures = 0;
    while (failures < 10) {
      fill(queue, table, nowMs);
      for (const entry of takeAll(queue, nowMs)) {
        conclude(queue, table, entry, retryIn(5_000), nowMs);
        failures += 1;
      }
      nowMs += 1;
    }
    const triedBefore = [...table.rows.values()].filter((row) => row.attempts > 0).length;
    let probes = 0;
    const untilMs = nowMs + 60 * 60_000;
    for (; nowMs < untilMs; nowMs += 500) {
      fill(queue, table, nowMs);
      const taken = takeAll(queue, nowMs);
      assert.ok(taken.length <= 1);
      for (const entry of taken) {
        probes += 1;
        conclude(queue, table, entry, retryIn(24 * 60 * 60_000), nowMs);
      }
    }
    assert.ok(probes >= 12 && probes <= 20, `${probes} probes in an hour`);
    const tried = [...table.rows.values()].filter((row) => row.attempts > 0).length;
    assert.ok(tried <= triedBefore + probes, 'what was not probed has lost no attempt');

    nowMs += 10 * 60_000;
    fill(queue, table, nowMs);
    const [probe] = takeAll(queue, nowMs);
    assert.ok(probe);
    assert.equal(queue.health.failingSinceMs, 0);
    assert.deepEqual(queue.answered(delivered, nowMs, nowMs), { recovered: true });
    table.rows.delete(probe.row.seq);
    queue.recorded(probe, delivered, nowMs);
    fill(queue, table, nowMs);
    assert.ok(takeAll(queue, nowMs).length > 1);
  });

  it('open before a restart of the gateway → still open', () => {
    const table = tableOf(10);
    const queue = createQueue({ failuresInRow: 12, failingSinceMs: 0 });
    fill(queue, table, 0);
    assert.equal(takeAll(queue, 0).length, 1);
  });
});

test('recovery: down for five minutes → retries brought forward; for one minute → not', () => {
  const answersAfter = (downMs: number) => {
    const table = tableOf(1);
    const queue = createQueue({ failuresInRow: 12, failingSinceMs: 0 });
    fill(queue, table, downMs);
    const [probe] = takeAll(queue, downMs);
    assert.ok(probe);
    return queue.answered(delivered, downMs, downMs);
  };
  assert.deepEqual(answersAfter(60_000), { recovered: false });
  assert.deepEqual(answersAfter(5 * 60_000), { recovered: true });
});

test('failing since: stored time lies in the future → the next failure counts', () => {
  const table = tableOf(2);
  const queue = createQueue({ failuresInRow: 12, failingSinceMs: 30 * 24 * 60 * 60_000 });
  fill(queue, table, 0);
  const [probe] = takeAll(queue, 0);
  assert.ok(probe);
  conclude(queue, table, probe, retryIn(5_000), 1_000);
  assert.equal(queue.health.failingSinceMs, 1_000);
  const laterMs = 10 * 60_000;
  fill(queue, table, laterMs);
  const [next] = takeAll(queue, laterMs);
  assert.ok(next);
  assert.deepEqual(queue.answered(delivered, laterMs, laterMs), { recovered: true });
});

test('failures of some deliveries: others succeed → the endpoint counts as recovered', () => {
  const table = tableOf(100, { attempts: 1, dueAtMs: 0 });
  const queue = createQueue({ failuresInRow: 12, failingSinceMs: 0 });
  fill(queue, table, 0);
  const [probe] = takeAll(queue, 0);
  assert.equal(probe?.row.attempts, 1, 'where there is nothing else, what has failed before is tried');
  conclude(queue, table, probe, retryIn(5_000), 0);

  insert(table, 100);
  queue.news();
  let nowMs = 300_000;
  for (; nowMs < 1_800_000; nowMs += 600_000) {
    fill(queue, table, nowMs);
    const [fresh] = takeAll(queue, nowMs);
    assert.equal(fresh?.row.attempts, 0);
    conclude(queue, table, fresh, retryIn(5_000), nowMs);
  }
  const untilMs = nowMs + 10_000;
  let refused = 0;
  const goesThrough = () => [...table.rows.values()].filter((row) => row.attempts === 0).length === 0;
  for (; nowMs < untilMs && !goesThrough(); nowMs += 100) {
    fill(queue, table, nowMs);
    for (const entry of takeAll(queue, nowMs)) {
      const isRefused = entry.row.attempts > 0;
      if (isRefused) refused += 1;
      conclude(queue, table, entry, isRefused ? retryIn(1_000) : delivered, nowMs);
    }
  }
  assert.ok(goesThrough());
  assert.ok(refused >= 50, `${refused} refused: what failed before has its turn`);
});

test('gone endpoint: changed by its owner meanwhile → tried again', () => {
  const table = tableOf(1);
  const queue = createQueue();
  const failing = { failuresInRow: 1, failingSinceMs: 0 };
  fill(queue, table, 0);
  const [entry] = takeAll(queue, 0);
  assert.ok(entry);
  conclude(queue, table, entry, { kind: 'gone' }, 0);
  queue.change(sampleEndpoint(failing), signer);
  fill(queue, table, 1);
  assert.deepEqual(takeAll(queue, 1), [], 'nothing was changed');
  queue.change(sampleEndpoint({ ...failing, description: 'mine', updatedAtMs: 1 }), signer);
  fill(queue, table, 2);
  const [again] = takeAll(queue, 2);
  assert.ok(again);
  conclude(queue, table, again, { kind: 'gone' }, 2);
  queue.change(sampleEndpoint({ ...failing, disabled: { atMs: 2, reason: 'gone' }, updatedAtMs: 2 }), signer);
  assert.equal(queue.health.failuresInRow, 1, 'as it is shown while it is disabled');
});

test('probe: long queue of few conversations → reads no more rows than go', () => {
  const table = new QueueTable();
  for (let i = 0; i < 2_000; i += 1) table.insert(`c${i % 2}`);
  const queue = createQueue({ ordered: true, failuresInRow: 12, failingSinceMs: 0 });
  for (let probe = 0; probe < 2; probe += 1) {
    const nowMs = probe * 3_600_000;
    let reads = fill(queue, table, nowMs);
    const [entry, ...others] = takeAll(queue, nowMs);
    assert.ok(entry);
    assert.deepEqual(others, []);
    reads += fill(queue, table, nowMs);
    assert.ok(reads <= 2, `${reads} reads`);
    conclude(queue, table, entry, retryIn(86_400_000), nowMs);
  }
});
