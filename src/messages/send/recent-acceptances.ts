import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { Metrics, Tally } from '../../telemetry/index.ts';
import { findStored } from './accept-queries.ts';

interface RecentAcceptancesDeps {
  db: Queryable;
  clock: Clock;
  log: Pick<Logger, 'error' | 'info'>;
  metrics: Metrics;
}

/** Ids of an organization's message. */
interface MessageKey {
  organizationId: string;
  id: string;
}

interface Batch {
  atMs: number;
  count: number;
  /** The messages' ids as one string, which costs the garbage collector less than an object for each message. */
  packed: string;
}

/** Longer than a standby usually lags behind its primary. */
const REMEMBERED_MS = 60_000;
/** 4 MB of ids. */
const REMEMBERED_MAX = 50_000;
const LOOKED_UP_AT_ONCE = 1_000;
const NAMED_MAX = 100;

/** Remembers which messages this node accepted within the last minute, to find those that a failover to a standby has lost. */
export class RecentAcceptances {
  readonly #deps: RecentAcceptancesDeps;
  readonly #lost: Tally;
  #batches: Batch[] = [];
  #count = 0;

  constructor(deps: RecentAcceptancesDeps) {
    this.#deps = deps;
    this.#lost = deps.metrics.counters(
      'accepted_messages_lost_total',
      'Messages that were answered 202 and are missing since.',
      'cause',
      ['failover'],
    ).failover;
  }

  /** Remembers messages whose commit was answered. */
  note(messages: readonly MessageKey[]): void {
    if (messages.length === 0) return;
    const nowMs = this.#deps.clock.monotonicMs();
    this.#batches.push({ atMs: nowMs, count: messages.length, packed: pack(messages) });
    this.#count += messages.length;
    this.#forget(nowMs);
  }

  /** Looks the remembered messages up, and reports those that are missing in a metric and a log line. Rejects if the look-up fails. */
  async reportLost(): Promise<void> {
    const { db, log } = this.#deps;
    this.#forget(this.#deps.clock.monotonicMs());
    const messages = this.#batches.flatMap(({ packed }) => unpack(packed));
    const lost: MessageKey[] = [];
    for (let from = 0; from < messages.length; from += LOOKED_UP_AT_ONCE) {
      const some = messages.slice(from, from + LOOKED_UP_AT_ONCE);
      const stored = await findStored(db, some);
      lost.push(...some.filter(({ id }) => !stored.has(id)));
    }
    const lostIds = new Set(lost.map(({ id }) => id));
    this.#batches = this.#batches.map(({ atMs, packed }) => {
      const left = unpack(packed).filter(({ id }) => !lostIds.has(id));
      return { atMs, count: left.length, packed: pack(left) };
    });
    this.#count = this.#batches.reduce((sum, batch) => sum + batch.count, 0);
    if (lost.length === 0) {
      log.info({ looked_up: messages.length }, 'failover of PostgreSQL: it lost no message that this node accepted');
      return;
    }
    this.#lost.inc(lost.length);
    log.error(
      { lost: lost.length, looked_up: messages.length, messages: lost.slice(0, NAMED_MAX) },
      'failover of PostgreSQL: accepted messages are lost; their senders have to send them again',
    );
  }

  #forget(nowMs: number): void {
    const isOld = (atMs: number) => nowMs - atMs > REMEMBERED_MS || this.#count > REMEMBERED_MAX;
    for (let [oldest] = this.#batches; oldest !== undefined && isOld(oldest.atMs); [oldest] = this.#batches) {
      this.#batches.shift();
      this.#count -= oldest.count;
    }
  }
}

function pack(messages: readonly MessageKey[]): string {
  return messages.map(({ organizationId, id }) => `${organizationId} ${id}`).join('\n');
}

function unpack(packed: string): MessageKey[] {
  if (packed === '') return [];
  return packed.split('\n').map((line) => {
    const [organizationId = '', id = ''] = line.split(' ');
    return { organizationId, id };
  });
}
