import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { opening, queueRow } from '../../../test/support/scheduler-model/queue-rows.ts';
import { Timeline } from '../../../test/support/scheduler-model/timeline.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import { flowIdOf, type QueueRow, Scheduler, trafficClasses } from './index.ts';

const pairIntervalMs = 300;
const pairBurst = 3;
const ratePerSecond = 50;
const inFlightMax = 6;
/** Slightly more than one: at the moment a token returns, the two ways of counting may round differently. */
const wholeToken = 1 + 1e-9;

/** Returns the tokens at `nowMs` in a bucket that regains one per `intervalMs`, after messages at `times`. */
function tokensLeft(times: readonly number[], intervalMs: number, burst: number, nowMs: number): number {
  let tokens = burst;
  let sinceMs = 0;
  for (const timeMs of times) {
    tokens = Math.min(burst, tokens + (timeMs - sinceMs) / intervalMs) - 1;
    sinceMs = timeMs;
  }
  return Math.min(burst, tokens + (nowMs - sinceMs) / intervalMs);
}

/** Independent records of one number, kept without the scheduler. */
class Ledger {
  readonly waiting: QueueRow[] = [];
  readonly inFlight = new Set<string>();
  readonly sentAt: number[] = [];
  readonly sentTo = new Map<string, number[]>();

  /** Returns a message that may be sent now. */
  findSendable(nowMs: number): QueueRow | undefined {
    if (this.inFlight.size >= inFlightMax) return undefined;
    if (tokensLeft(this.sentAt, 1000 / ratePerSecond, 1, nowMs) < wholeToken) return undefined;
    return this.waiting.find(
      ({ contact }) =>
        !this.inFlight.has(contact) &&
        tokensLeft(this.sentTo.get(contact) ?? [], pairIntervalMs, pairBurst, nowMs) >= wholeToken,
    );
  }

  send(row: QueueRow, nowMs: number): void {
    this.waiting.splice(this.waiting.indexOf(row), 1);
    this.inFlight.add(row.contact);
    this.sentAt.push(nowMs);
    this.sentTo.set(row.contact, [...(this.sentTo.get(row.contact) ?? []), nowMs]);
  }
}

test('a number: never idles while it has a message that may be sent', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = seededRandom(seed);
      const time = new Timeline();
      // All rows stay in memory, because this test has no table.
      const waitingChainMessagesMax = 80;
      const limits = { pairIntervalMs, pairBurst, paceToleranceMs: 0 };
      const scheduler = new Scheduler({ ...limits, waitingChainMessagesMax, chainMessagesMax: 80 });
      const ledgers = new Map([1, 2].map((numberId) => [numberId, new Ledger()]));
      for (const numberId of ledgers.keys()) scheduler.openNumber(0, opening({ numberId, ratePerSecond, inFlightMax }));
      const pump = (): void => {
        for (const { seq, numberId, contact } of scheduler.take(time.nowMs, 1000)) {
          const ledger = ledgers.get(numberId);
          const row = ledger?.waiting.find((candidate) => candidate.seq === seq);
          assert.ok(ledger !== undefined && row !== undefined);
          ledger.send(row, time.nowMs);
          time.in(random.next() * 400, () => {
            ledger.inFlight.delete(contact);
            scheduler.settle(time.nowMs, seq, { kind: 'done' });
          });
        }
        for (const ledger of ledgers.values()) assert.equal(ledger.findSendable(time.nowMs), undefined);
        const wakeAtMs = scheduler.nextWakeMs(time.nowMs);
        if (wakeAtMs !== null) time.at(wakeAtMs, () => {});
      };
      for (let seq = 1; seq <= 80; seq += 1) {
        time.at(random.next() * 1500, () => {
          const flowId = flowIdOf(random.between(1, 2), random.pick(Object.values(trafficClasses)));
          const row = queueRow(seq, flowId, `49${random.between(1, 12)}`, { numberId: random.between(1, 2) });
          ledgers.get(row.numberId)?.waiting.push(row);
          scheduler.offer(time.nowMs, [row]);
        });
      }
      while (time.step(1e6)) pump();
      for (const ledger of ledgers.values()) assert.deepEqual([ledger.waiting, ledger.sentAt.length > 0], [[], true]);
    }),
    { numRuns: 30, endOnFailure: true },
  );
});
