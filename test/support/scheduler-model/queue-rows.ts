import {
  flowIdOf,
  type NumberOpening,
  type QueueRow,
  Scheduler,
  type SchedulerOptions,
  trafficClasses,
} from '../../../src/dispatch/scheduler/index.ts';

export const otpFlow = flowIdOf(1, trafficClasses.authentication);
export const sessionFlow = flowIdOf(1, trafficClasses.session);
export const marketingFlow = flowIdOf(1, trafficClasses.marketing);

/** Builds a row of number 1, unless `change` says otherwise. */
export function queueRow(seq: number, flowId: number, contact: string, change: Partial<QueueRow> = {}): QueueRow {
  return {
    seq,
    numberId: 1,
    flowId,
    contact,
    messageId: `m${seq}`,
    acceptedAtMs: seq,
    attempt: 0,
    dueAtMs: null,
    ...change,
  };
}

/** Builds an opening of number 1 with an empty queue and no limits, unless `change` says otherwise. */
export function opening(change: Partial<NumberOpening> = {}): NumberOpening {
  return {
    numberId: 1,
    organizationId: 'o1',
    organizationWeight: 1,
    ratePerSecond: 1_000_000,
    inFlightMax: 1_000_000,
    paused: false,
    flows: [],
    held: [],
    ...change,
  };
}

/** Takes and settles one message at a time, at one moment, until nothing can go or `max` are done; returns them in order. */
export function drain(
  scheduler: Scheduler,
  nowMs: number,
  max: number,
): { seq: number; flowId: number; numberId: number }[] {
  const done: { seq: number; flowId: number; numberId: number }[] = [];
  while (done.length < max) {
    const [dispatch] = scheduler.take(nowMs, 1);
    if (dispatch === undefined) break;
    scheduler.settle(nowMs, dispatch.seq, { kind: 'done' });
    done.push(dispatch);
  }
  return done;
}

/** Creates a scheduler with number 1 open. */
export function openScheduler(
  change: Parameters<typeof opening>[0] = {},
  options: Partial<SchedulerOptions> = {},
): Scheduler {
  const scheduler = new Scheduler(options);
  scheduler.openNumber(0, opening(change));
  return scheduler;
}

/** Returns the seqs of the messages that may go now. */
export function takeSeqs(scheduler: Scheduler, nowMs: number, max = 100): number[] {
  return scheduler.take(nowMs, max).map(({ seq }) => seq);
}
