import { pino } from 'pino';
import type { Clock } from '../../src/core/time/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { Scheduler } from '../../src/dispatch/scheduler/index.ts';
import { StatusGaps } from '../../src/dispatch/unknown-outcomes/status-gaps.ts';
import { UnknownOutcomes, type UnknownOutcomesDeps } from '../../src/dispatch/unknown-outcomes/unknown-outcomes.ts';
import type { OrganizationSettings } from '../../src/organizations/index.ts';
import { PlatformClock } from '../../src/upstream/index.ts';
import type { ManualClock } from '../harness/manual-clock.ts';
import { NUMBER } from './dispatch-number.ts';

export const ROW = {
  ...{ seq: 7, numberId: 1, flowId: 4, contact: '15551230001', messageId: 'm', acceptedAtMs: 0 },
  ...{ attempt: 0, dueAtMs: null },
};

export type Query = (statement: { name?: string }) => Promise<unknown[]>;

/** Surroundings of one outcome; by default no status is found and no attempt is in flight. */
export interface Around {
  query?: Query;
  isInFlight?: UnknownOutcomesDeps['inFlight']['has'];
  hasReceiver?: () => boolean;
}

/** Opens one outcome that is held until `untilMs` on the monotonic clock. */
export function openWithOneHeld(
  clock: Clock,
  untilMs: number,
  { query = async () => [], isInFlight = () => false, hasReceiver = () => true }: Around = {},
) {
  const scheduler = new Scheduler();
  const postponed: unknown[] = [];
  const completed: unknown[] = [];
  const log = pino({ level: 'silent' });
  const gaps = new StatusGaps({ clock, log, hasReceiver: async () => hasReceiver() });
  const unknown = new UnknownOutcomes({
    ...{ clock, log, gaps },
    db: { query } as unknown as Database,
    settings: { get: () => ({ unknownOutcomePolicy: 'resend' }) } as unknown as OrganizationSettings,
    upstream: { platformClock: new PlatformClock(clock) },
    scheduler,
    recorder: {
      async postpone(row) {
        postponed.push(row);
        return undefined;
      },
      complete: async (_, outcome) => void completed.push(outcome),
    },
    book: { find: () => NUMBER },
    inFlight: { has: isInFlight },
    wakeup: { wake() {} },
  });
  scheduler.openNumber(0, {
    ...{ numberId: 1, organizationId: 'o', organizationWeight: 1, ratePerSecond: 80, inFlightMax: 80, paused: false },
    flows: [],
    held: [{ row: ROW, untilMs }],
  });
  return { scheduler, unknown, gaps, postponed, completed };
}

export const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns for how many seconds the outcome stays held, at most `secondsMax`. Calls `each` before every second. */
export async function heldFor(
  clock: ManualClock,
  { scheduler, unknown }: Pick<ReturnType<typeof openWithOneHeld>, 'scheduler' | 'unknown'>,
  secondsMax: number,
  each: (second: number) => void = () => {},
): Promise<number> {
  let second = 0;
  for (; scheduler.totals().held > 0 && second < secondsMax; second += 1) {
    each(second);
    for (let look = 0; look < 4; look += 1) {
      clock.advance(250);
      unknown.expire();
      for (let turns = 0; turns < 4; turns += 1) await turn();
    }
  }
  return second;
}
