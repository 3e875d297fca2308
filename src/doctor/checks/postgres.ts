import type { Clock } from '../../core/time/clock.ts';
import { STATEMENT_TIMEOUT_MS } from '../../database/connection/session-settings.ts';
import type { Check, DoctorSettings, Verdict } from '../check.ts';
import { type PostgresFacts, readPostgres } from '../queries.ts';

const SUBJECT = 'postgres';
const VERSION_MIN = 150_000;
const CLOCK_MS_MAX = 5_000;
const TRANSACTION_SECONDS_MAX = 10 * 60;
const STANDBY_LAG_SECONDS_MAX = 60;

type JudgedBy = {
  settings: Pick<DoctorSettings, 'connectionsMax' | 'messageDays'>;
  clock: Pick<Clock, 'now'>;
};

/** Judges one property of the server: the fault, or undefined if there is none. */
type Rule = (facts: PostgresFacts, context: JudgedBy) => Omit<Verdict, 'subject'> | undefined;

const RULES: Record<string, Rule> = {
  'postgres-version': ({ versionNumber }) =>
    versionNumber < VERSION_MIN
      ? failed(`PostgreSQL ${Math.floor(versionNumber / 10_000)} is too old.`, 'Upgrade to PostgreSQL 15 or newer.')
      : undefined,
  'postgres-durability': ({ fsync, fullPageWrites, synchronousCommit }) => {
    const off = [
      ...(fsync === 'off' ? ['fsync'] : []),
      ...(fullPageWrites === 'off' ? ['full_page_writes'] : []),
      ...(synchronousCommit === 'off' ? ['synchronous_commit'] : []),
    ];
    return off.length === 0
      ? undefined
      : failed(
          `${off.join(', ')} is off: a crash of the server can lose accepted messages.`,
          'Switch it on for the server, the database and the role of the gateway.',
        );
  },
  'postgres-session': ({ statementTimeout, idleSessionTimeout, planCacheMode }) =>
    statementTimeout === `${STATEMENT_TIMEOUT_MS}ms` &&
    idleSessionTimeout === '0ms' &&
    planCacheMode === 'force_generic_plan'
      ? undefined
      : failed(
          "Sessions do not have the gateway's settings: a pooler between it and PostgreSQL drops them.",
          'Connect the gateway to PostgreSQL itself, or through a pooler in session mode that passes `options` on.',
        ),
  'postgres-connections': ({ connectionsAllowed, nodes }, { settings }) => {
    const needed = Math.max(1, nodes) * settings.connectionsMax;
    return needed <= connectionsAllowed
      ? undefined
      : warning(
          `${nodes} nodes may open ${needed} connections, and the server allows ${connectionsAllowed}.`,
          'Raise max_connections, or lower DATABASE_CONNECTIONS_MAX.',
        );
  },
  'postgres-clock': ({ nowMs }, { clock }) => {
    const apartMs = Math.abs(clock.now() - nowMs);
    return apartMs <= CLOCK_MS_MAX
      ? undefined
      : warning(
          `The clocks of this machine and of PostgreSQL differ by ${Math.round(apartMs / 1_000)} seconds.`,
          'Let both machines follow the same time server.',
        );
  },
  'postgres-transactions': ({ oldestTransactionSeconds }) =>
    (oldestTransactionSeconds ?? 0) <= TRANSACTION_SECONDS_MAX
      ? undefined
      : warning(
          `A transaction has been open for ${Math.round((oldestTransactionSeconds ?? 0) / 60)} minutes.`,
          'End it: new rows are discovered late and dead rows pile up while it is open.',
        ),
  'postgres-locks': ({ lockWaits }) =>
    lockWaits === 0
      ? undefined
      : warning(
          `${lockWaits} sessions have waited more than ten seconds for a lock.`,
          'Find the holder with pg_blocking_pids and end its transaction.',
        ),
  'postgres-lock-table': ({ locksPerTransaction, connectionsAllowed }, { settings }) => {
    // A day of messages is one table with its indexes, and a statement on all days locks each of them.
    const needed = settings.messageDays * 4 * settings.connectionsMax;
    return needed <= 2 * locksPerTransaction * connectionsAllowed
      ? undefined
      : warning(
          `max_locks_per_transaction (${locksPerTransaction}) is too low for ${settings.messageDays} days of messages.`,
          `Set it to ${2 * settings.messageDays} and restart the server.`,
        );
  },
  'postgres-replication-slots': ({ idleSlots }) =>
    idleSlots.length === 0
      ? undefined
      : warning(
          `No standby reads the replication slots ${idleSlots.join(', ')}: the server keeps its log for them until the disk is full.`,
          'Start the standby again, or drop the slot with pg_drop_replication_slot.',
        ),
  'postgres-standby-lag': ({ standbyLagSeconds }) =>
    (standbyLagSeconds ?? 0) <= STANDBY_LAG_SECONDS_MAX
      ? undefined
      : warning(
          `A standby is ${Math.round(standbyLagSeconds ?? 0)} seconds behind: a failover to it would lose that time.`,
          'Find out why the standby replays slowly.',
        ),
};

/** The checks of the server. They read its state again for each check, so that each judges on its own. */
export const POSTGRES_CHECKS: readonly Check[] = Object.entries(RULES).map(([id, rule]) => ({
  id,
  async run(context) {
    return [judge(rule, await readPostgres(context.db), context)];
  },
}));

/** Names the checks that find a fault in these facts. */
export function faultsIn(facts: PostgresFacts, context: JudgedBy): string[] {
  return Object.keys(RULES).filter((id) => RULES[id]?.(facts, context) !== undefined);
}

function judge(rule: Rule, facts: PostgresFacts, context: JudgedBy): Verdict {
  return { subject: SUBJECT, ...(rule(facts, context) ?? { status: 'ok', message: 'As it should be.' }) };
}

function failed(message: string, advice: string): Omit<Verdict, 'subject'> {
  return { status: 'failed', message, advice };
}

function warning(message: string, advice: string): Omit<Verdict, 'subject'> {
  return { status: 'warning', message, advice };
}
