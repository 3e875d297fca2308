import type { Logger } from 'pino';
import { endPastRestrictions } from './accounts/index.ts';
import { dropPastEntries } from './audit/index.ts';
import { sweepWindows } from './conversations/index.ts';
import { firstIdAt } from './core/ids.ts';
import type { Chores } from './core/run/chores.ts';
import type { Clock } from './core/time/clock.ts';
import { followClock } from './database/connection/check-clock.ts';
import type { Database } from './database/database.ts';
import { OpenTransactions } from './database/days/open-transactions.ts';
import { DAY_MS, dropPartition, ensurePartitions, lacksDay, listPastPartitions } from './database/days/partitions.ts';
import { TableStatistics } from './database/days/table-statistics.ts';
import { sweepOwnedObjects } from './edges/index.ts';
import { sweepDigests } from './inbound-webhooks/index.ts';
import { type Media, sweepMedia } from './media/index.ts';
import { dropMessages, sweepEarlyStatuses, sweepIdempotencyKeys } from './messages/index.ts';
import { sweepOnboardings } from './onboarding/index.ts';
import { closeUsageSlots, sweepUsageDays } from './organizations/index.ts';
import type { OutboundWebhooks } from './outbound-webhooks/index.ts';
import { removePast } from './retention/index.ts';

/** Retention of history, in days. */
export interface Retention {
  messageDays: number;
  /** Retention of payloads that the platform posted. */
  webhookDays: number;
  /** Retention of the audit log. */
  auditDays: number;
}

const HOUR_MS = 60 * 60 * 1000;
const CLOCK_MS = 10_000;
const RESTRICTIONS_MS = 10_000;
const TRANSACTIONS_MS = 10_000;
const STATISTICS_MS = { busy: 2_000, quiet: 5_000 };
const USAGE_MS = 10_000;
/** Days back at which a missing partition shows a gap. A start after a gap creates yesterday, so a gap stays visible for a day. */
const GAP_DAYS = 3;
const EVENT_DAYS = 30;
/** The platform repeats webhooks for seven days, and an Idempotency-Key is kept as long (api-rules#idempotency). */
const REPEAT_DAYS = 7;
/** Retention of windows: a window is open for one day, by the clock of the node that asks. */
const WINDOW_DAYS = 2;
/** Retention of the owners of flows, groups and records, which are learned again on demand. */
const OWNED_OBJECT_DAYS = 90;
/** Retention of onboardings that rest, and of set-up links past their end. */
const ONBOARDING_DAYS = 90;
/** Retention of usage by day: a year can be compared with the one before. The usage of months is kept for good. */
const USAGE_DAYS = 400;

const isoBound = (epochMs: number) => new Date(epochMs).toISOString();
const DAILY_TABLES = [
  { table: 'message', boundAt: firstIdAt },
  { table: 'event', boundAt: isoBound },
  { table: 'send_attempt', boundAt: isoBound },
  { table: 'upstream_journal', boundAt: isoBound },
  { table: 'webhook_delivery', boundAt: isoBound },
  { table: 'webhook_attempt', boundAt: isoBound },
];

export interface MaintenanceDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  media: Media;
  outboundWebhooks: Pick<OutboundWebhooks, 'sweep'>;
  retention: Retention;
  /** 0 ≤ r < 1 */
  random: () => number;
}

/** Creates the partitions of the next days. Must complete once before anything is stored. */
export async function preparePartitions({ db, clock }: Pick<MaintenanceDeps, 'db' | 'clock'>): Promise<void> {
  await ensurePartitions(db, DAILY_TABLES, clock.now());
}

/** Drops the days past their retention. Rejects if a day could not be dropped now. */
export async function dropPast({
  db,
  clock,
  retention,
}: Pick<MaintenanceDeps, 'db' | 'clock' | 'retention'>): Promise<void> {
  const nowMs = clock.now();
  const daysKept = {
    event: EVENT_DAYS,
    send_attempt: EVENT_DAYS,
    upstream_journal: retention.webhookDays,
    webhook_delivery: EVENT_DAYS,
    webhook_attempt: EVENT_DAYS,
  };
  const drops = Object.entries(daysKept).map(([table, days]) => async () => {
    for (const partition of await listPastPartitions(db, table, nowMs - days * DAY_MS)) {
      await dropPartition({ db, clock }, partition);
    }
  });
  drops.push(() => dropMessages({ db, clock }, nowMs - retention.messageDays * DAY_MS));
  const failures: unknown[] = [];
  // A session that uses one table for long prevents only the drops of that table.
  for (const drop of drops) await drop().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Schedules the work that keeps the database small and its time-dependent state current. Safe on any number of nodes. */
export function scheduleMaintenance(chores: Pick<Chores, 'every' | 'stopped'>, deps: MaintenanceDeps): void {
  const { db, clock, log, media, outboundWebhooks, retention, random } = deps;
  const before = (days: number) => clock.now() - days * DAY_MS;
  let keepsUntilMs = Number.NEGATIVE_INFINITY;
  chores.every(CLOCK_MS, async () => {
    // Keeps everything for a day after a leap: if all clocks were set wrong, an operator has that day to notice.
    if (await followClock(deps)) keepsUntilMs = clock.monotonicMs() + DAY_MS;
    // This often because after days without the machine or the database nothing can be stored until the partitions exist.
    await preparePartitions(deps);
  });
  let hasTold = false;
  const keepsAll = async () => {
    if (clock.monotonicMs() < keepsUntilMs) return true;
    // Clocks may have been set wrong before the start, which looks the same as days without any node.
    const hasGap = await lacksDay(db, 'message', before(GAP_DAYS));
    if (hasGap && !hasTold) log.warn('no node ran for days, or all clocks were set: nothing is dropped for a day');
    hasTold ||= hasGap;
    return hasGap;
  };
  // First run at a random moment of the first hour: short-lived nodes also do their share, and nodes started together take turns.
  const clearEveryHour = (clear: () => Promise<void>) =>
    chores.every(
      HOUR_MS,
      async () => {
        if (!(await keepsAll())) await clear();
      },
      random() * HOUR_MS,
    );
  const openTransactions = new OpenTransactions(deps);
  chores.every(TRANSACTIONS_MS, () => openTransactions.look());
  const statistics = new TableStatistics(deps);
  const statisticsMs = () => (statistics.isQuiet ? STATISTICS_MS.quiet : STATISTICS_MS.busy);
  chores.every(statisticsMs, () => statistics.look());
  let firstOpenSlot = 0;
  chores.every(USAGE_MS, async () => {
    firstOpenSlot = await closeUsageSlots(db, firstOpenSlot);
  });
  chores.every(RESTRICTIONS_MS, () => endPastRestrictions({ db }, clock.now()));
  clearEveryHour(() => dropPast(deps));
  clearEveryHour(() => removePast({ db, clock, chores }));
  // A repeated payload, from the platform or an operator, is recognised by its digest; digests outlive the payload's day.
  clearEveryHour(() => sweepDigests(db, before(Math.max(REPEAT_DAYS, retention.webhookDays + 1))));
  clearEveryHour(() => sweepIdempotencyKeys(db, before(REPEAT_DAYS)));
  clearEveryHour(() => sweepEarlyStatuses(db, before(REPEAT_DAYS)));
  clearEveryHour(() => sweepWindows(db, before(WINDOW_DAYS)));
  clearEveryHour(() => sweepOwnedObjects(db, before(OWNED_OBJECT_DAYS)));
  clearEveryHour(() => sweepUsageDays(db, before(USAGE_DAYS)));
  clearEveryHour(() => sweepOnboardings(db, before(ONBOARDING_DAYS)));
  clearEveryHour(() => sweepMedia(media));
  clearEveryHour(() => dropPastEntries(deps, before(retention.auditDays)));
  clearEveryHour(() => outboundWebhooks.sweep(before(EVENT_DAYS)));
}
