import { test } from 'node:test';
import fc from 'fast-check';
import { type Random, seededRandom } from '../../src/core/seeded-random.ts';
import { type SchedulerOptions, type TrafficClass, trafficClasses } from '../../src/dispatch/scheduler/index.ts';
import { GatewayModel, type Weather } from '../support/scheduler-model/gateway-model.ts';

const classes = Object.values(trafficClasses);

function smallOptions(random: Random): SchedulerOptions {
  return {
    classWeights: { authentication: 16, session: 8, utility: 8, marketing: 1 },
    paceToleranceMs: random.pick([5, 50]),
    pairIntervalMs: random.between(5, 400),
    pairBurst: random.between(1, 6),
    windowRecipients: random.between(2, 10),
    chainMessagesMax: random.between(4, 8),
    waitingChainMessagesMax: random.between(1, 3),
    waitingRecipientsMax: random.between(2, 20),
    messagesMax: random.pick([1, 30, 100_000]),
    inFlightMax: random.pick([1, 10, 1_000]),
  };
}

function weather(random: Random): Weather {
  const isRough = random.chance(0.7);
  return {
    commitMsMax: random.pick([0, 1, 20, 200]),
    offerMsMax: random.pick([0, 1, 50, 500]),
    readMsMax: random.pick([0, 2, 30, 300]),
    sendMsMax: random.pick([0, 5, 100]),
    remote: random.pick([0, 0.3, 1]),
    readFails: random.pick([0, 0.2]),
    retry: isRough ? 0.1 : 0,
    hold: isRough ? 0.1 : 0,
    unsent: isRough ? 0.05 : 0,
    dropped: isRough ? 0.05 : 0,
  };
}

/** Simulates a few numbers with far too small windows for a short time, and then until everything ends. */
function live(seed: number, isDisturbed: boolean): GatewayModel {
  const random = seededRandom(seed);
  const model = new GatewayModel(random, weather(random), smallOptions(random));
  const numberIds = Array.from({ length: random.between(1, 3) }, (_, index) => index + 1);
  for (const numberId of numberIds) {
    model.register({
      numberId,
      organizationId: `o${random.between(1, 2)}`,
      ratePerSecond: random.pick([20, 80, 1000]),
      inFlightMax: random.between(1, 20),
    });
  }
  const recipients = random.between(1, 15);
  const keys = random.between(1, 3);
  const someone = (): [number, number, TrafficClass, string] => [
    random.pick(numberIds),
    random.between(1, keys),
    random.pick(classes),
    `49${random.between(1, recipients)}`,
  ];
  for (let stored = random.pick([0, 20, 150]); stored > 0; stored -= 1) model.store(...someone());
  for (const numberId of numberIds) model.open(numberId);
  const lifeMs = random.pick([50, 500, 3000]);
  for (let message = random.between(1, 250); message > 0; message -= 1) {
    model.time.at(random.next() * lifeMs, () => model.accept(...someone()));
  }
  for (let atMs = 0; atMs < lifeMs + 2000; atMs += 40) model.time.at(atMs, () => model.discover());
  if (isDisturbed) disturb(model, random, numberIds, lifeMs);
  model.run(1e7);
  return model;
}

function disturb(model: GatewayModel, random: Random, numberIds: number[], lifeMs: number): void {
  const { scheduler, time } = model;
  for (let count = random.between(1, 12); count > 0; count -= 1) {
    const numberId = random.pick(numberIds);
    const atMs = random.next() * (lifeMs + 500);
    const what = random.between(1, 6);
    time.at(atMs, () => {
      if (what === 1) model.reopen(numberId);
      if (what === 2) scheduler.parkNumber(time.nowMs, numberId, time.nowMs + 200, 'test');
      if (what === 3) scheduler.penalizePair(time.nowMs, numberId, '491', time.nowMs + 300);
      if (what === 4) scheduler.chargeNumber(time.nowMs, numberId, 10);
      if (what === 5) scheduler.setPaused(time.nowMs, numberId, true);
      if (what === 6) model.abandon(numberId);
    });
    time.at(atMs + 300, () => scheduler.setPaused(time.nowMs, numberId, false));
  }
}

test('any commits, offers and reads: no message lost, repeated or misordered, no limit exceeded', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const model = live(seed, false);
      model.assertSettled();
      model.assertLimits();
    }),
    { numRuns: 150, endOnFailure: true },
  );
});

test('numbers parked, paused, closed and reopened: no message lost, repeated or misordered', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => live(seed, true).assertSettled()),
    { numRuns: 150, endOnFailure: true },
  );
});
