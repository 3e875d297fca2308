import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { accepted, reply, send, startPeer } from '../../../test/support/upstream-peer.ts';
import { PlatformClock } from './platform-clock.ts';

const HOUR_MS = 3_600_000;

/** A process whose clock is `aheadMs` ahead of the platform's, with the answers it gets. */
function setUp(aheadMs: number) {
  const platform = createManualClock();
  const machine = { ...platform, now: () => platform.now() + aheadMs };
  const clock = new PlatformClock(machine);
  /** A message with this round-trip time is answered, with a date that is off by `wrongMs`. */
  const answer = ({ thereMs = 50, backMs = 50, wrongMs = 0 } = {}) => {
    const writtenMs = platform.monotonicMs();
    platform.advance(thereMs);
    const date = new Date(platform.now() + wrongMs).toUTCString();
    platform.advance(backMs);
    clock.learn(date, writtenMs, platform.monotonicMs());
  };
  return { platform, machine, clock, answer };
}

test('platform time: known to 0.5 s plus half the round trip, whatever the own clock says', () => {
  const skew = fc.integer({ min: -HOUR_MS + 60_000, max: HOUR_MS - 60_000 });
  const trip = fc.record({
    thereMs: fc.integer({ min: 0, max: 3_000 }),
    backMs: fc.integer({ min: 0, max: 3_000 }),
    afterMs: fc.integer({ min: 0, max: 3_000 }),
  });
  fc.assert(
    fc.property(skew, fc.array(trip, { minLength: 1 }), (aheadMs, trips) => {
      const { platform, clock, answer } = setUp(aheadMs);
      for (const { afterMs, ...way } of trips) {
        platform.advance(afterMs);
        answer(way);
      }
      const best = Math.min(...trips.map(({ thereMs, backMs }) => thereMs + backMs));
      const wrongMs = Math.abs(clock.now() - platform.now());
      assert.ok(wrongMs <= (1_000 + best) / 2 + 1, `${wrongMs} ms`);
    }),
  );
});

test('platform time: known from the first answer, after a suspension from the second', () => {
  const platform = createManualClock();
  let suspendedMs = 0;
  const machine = { ...platform, now: () => platform.now() + suspendedMs };
  const clock = new PlatformClock(machine);
  assert.equal(clock.isKnown, false);
  const answer = () => clock.learn(new Date(machine.now()).toUTCString(), machine.monotonicMs(), machine.monotonicMs());
  answer();
  assert.equal(clock.isKnown, true);
  suspendedMs = 60_000;
  assert.equal(clock.isKnown, false);
  answer();
  assert.equal(clock.isKnown, false);
  answer();
  assert.equal(clock.isKnown, true);
});

test('platform time: steady while the own clock is set, equal to it before any answer', () => {
  const platform = createManualClock();
  let aheadMs = 60_000;
  const clock = new PlatformClock({ ...platform, now: () => platform.now() + aheadMs });
  assert.equal(clock.now(), platform.now() + aheadMs);
  assert.equal(clock.at(platform.monotonicMs() - 7_000), clock.now() - 7_000);
  clock.learn(new Date(platform.now()).toUTCString(), platform.monotonicMs(), platform.monotonicMs());
  const toldMs = clock.now();
  assert.ok(Math.abs(toldMs - platform.now()) <= 500);
  aheadMs = -60_000;
  platform.advance(5_000);
  assert.equal(clock.now(), toldMs + 5_000);
});

test('platform time: one contradicting answer → ignored, two that agree → believed', () => {
  const { platform, clock, answer } = setUp(60_000);
  const isRight = () => Math.abs(clock.now() - platform.now()) <= 600;
  answer();
  answer({ wrongMs: 90_000 });
  assert.ok(isRight());
  answer();
  answer({ wrongMs: 90_000 });
  assert.ok(isRight());
  answer({ wrongMs: 90_000 });
  assert.ok(Math.abs(clock.now() - platform.now() - 90_000) <= 600);
  answer();
  answer();
  assert.ok(isRight());
});

test('platform time: unreadable date or another day → ignored', () => {
  const { platform, machine, clock } = setUp(60_000);
  for (const date of [undefined, '', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT', '-1'])
    clock.learn(date, platform.monotonicMs(), platform.monotonicMs());
  assert.equal(clock.now(), machine.now());
});

test('platform time: learned from accepted messages, not from refused ones', async (t) => {
  let status = 400;
  const aMinuteAgo = new Date(Date.now() - 60_000).toUTCString();
  const { upstream } = await startPeer(t, (_request, response) => {
    response.setHeader('date', aMinuteAgo);
    if (status === 200) reply(response, 200, accepted);
    else reply(response, status, { error: { code: 131_026, message: 'no' } });
  });
  const aheadMs = () => Date.now() - upstream.platformClock.now();
  await send(upstream);
  assert.ok(Math.abs(aheadMs()) < 1_000);
  status = 200;
  await send(upstream, { mayWrite: () => true });
  assert.ok(Math.abs(aheadMs() - 60_000) < 30_000, String(aheadMs()));
});
