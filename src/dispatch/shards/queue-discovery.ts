import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { cursorsFrom, discoverRows, type Horizon, readHorizon } from '../queue/discovery-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Scheduler } from '../scheduler/index.ts';

export interface QueueDiscoveryDeps {
  db: Database;
  clock: Clock;
  nodeId: string;
  /** No other node accepts messages: this node's rows are handed over as they are stored, and looked up only after a commit in doubt. */
  alone: boolean;
  scheduler: Pick<Scheduler, 'beginOffer' | 'endOffer'>;
  /** Receives each page of found rows before the next page is read. */
  found: (rows: QueueRow[]) => void;
}

/** After a broken connection, the server may still execute the statement. Its rows are looked for during this time. */
const DOUBT_MS = 120_000;
/**
 * After a crash, the server may reuse the ids of transactions that left no trace in its log. An older horizon may then lie above later
 * commits. Looking at this many ids again costs little.
 */
const REWOUND_XIDS = 10_000n;

/** Start of a look. Lowered only once while the database is away, because no further ids are handed out during that time. */
interface Beginning extends Horizon {
  readonly isRewound?: true;
}

/**
 * Finds new rows in the queues of this node's shards. Each shard has a horizon: every row below it has been read, and every later commit
 * lies above it.
 *
 * With several nodes, this node's own rows are found here too instead of being handed over. If two sends follow each other, another node
 * may have accepted the first one. Only one snapshot of both knows their order.
 */
export class QueueDiscovery {
  readonly #deps: QueueDiscoveryDeps;
  /** Compared by identity, not by value: a shard that was lost and regained may start at the same horizon. */
  readonly #horizons = new Map<number, Beginning>();
  /** The newest horizon seen: a lower bound for the id of every transaction that begins from now on. */
  #newest: Beginning = { xid: 0n, stillOpen: [] };
  readonly #newestAtOffer = new Map<number, bigint>();
  #timesRewound = 0;
  #doubtUntilMs = Number.NEGATIVE_INFINITY;
  /** Counts of rows left to the looks: in total, and before the last look that succeeded. */
  #timesLeft = 0;
  #timesFound = 0;

  constructor(deps: QueueDiscoveryDeps) {
    this.#deps = deps;
  }

  /** Call before these shards' queues are read: rows that this read cannot see will be found by a look. */
  async begin(shards: readonly number[]): Promise<void> {
    const rewoundBefore = this.#timesRewound;
    const read = await readHorizon(this.#deps.db);
    const horizon = this.#timesRewound === rewoundBefore ? read : rewound(read);
    this.#newest = horizon;
    for (const shard of shards) this.#horizons.set(shard, horizon);
  }

  end(shards: readonly number[]): void {
    for (const shard of shards) this.#horizons.delete(shard);
  }

  /** Records that this node is about to store rows; `offer` names the attempt. */
  noteOffer(offer: number): void {
    this.#newestAtOffer.set(offer, this.#newest.xid);
  }

  forgetOffer(offer: number): void {
    this.#newestAtOffer.delete(offer);
  }

  /** Lowers the horizons, because rows of this offer may appear, now or later, without being handed over. */
  doubt(offer: number): void {
    const from = this.#newestAtOffer.get(offer) ?? 0n;
    this.#beginDoubt();
    this.leave();
    // Replaces each horizon even if its value stays: a look in progress may exclude this node's rows, and must not raise these horizons.
    for (const [shard, horizon] of this.#horizons)
      this.#horizons.set(shard, { ...horizon, xid: from < horizon.xid ? from : horizon.xid });
  }

  /** Records that stored rows of this node are left to a look. */
  leave(): void {
    this.#timesLeft += 1;
  }

  /**
   * True if looks also find this node's rows, so that every stored row must be left to them. If this node is alone, this is true after a
   * commit in doubt, for its time and until every row left has been looked for. A load without pauses keeps it true for as long as the load
   * lasts.
   */
  get findsOwn(): boolean {
    const { alone, clock } = this.#deps;
    return !alone || clock.monotonicMs() < this.#doubtUntilMs || this.#timesFound < this.#timesLeft;
  }

  /**
   * Lowers the horizons once more: the database may have crashed and returned before a look could fail, or may be a different one. A read
   * in progress may have been answered before the crash.
   */
  rewind(): void {
    this.#timesRewound += 1;
    this.#newest = rewound(this.#newest);
    for (const [shard, horizon] of this.#horizons) this.#horizons.set(shard, rewound(horizon));
  }

  /** Looks for rows of these shards, page by page. Rejects if the database does; the next call then covers the same range. */
  async look(shards: readonly number[]): Promise<void> {
    const from = new Map([...this.#horizons].filter(([shard]) => shards.includes(shard)));
    if (from.size === 0) return;
    const rewoundBefore = this.#timesRewound;
    const left = this.#timesLeft;
    const includeOwn = this.findsOwn;
    try {
      const horizon = await this.#readAll(from, includeOwn);
      if (this.#timesRewound !== rewoundBefore) return;
      this.#newest = horizon;
      this.#timesFound = left;
      // A shard regained or doubted during this read has a newer horizon of its own.
      for (const [shard, started] of from)
        if (this.#horizons.get(shard) === started) this.#horizons.set(shard, horizon);
    } catch (error) {
      this.rewind();
      // A server that does not answer may also execute other statements late.
      if (includeOwn) this.#beginDoubt();
      throw error;
    }
  }

  #beginDoubt(): void {
    this.#doubtUntilMs = this.#deps.clock.monotonicMs() + DOUBT_MS;
  }

  async #readAll(from: ReadonlyMap<number, Horizon>, includeOwn: boolean): Promise<Horizon> {
    const { db, nodeId, scheduler, found } = this.#deps;
    let first: Horizon | undefined;
    let cursors = [...from].flatMap(([shard, horizon]) => cursorsFrom(shard, horizon));
    do {
      const offer = scheduler.beginOffer();
      try {
        const page = await discoverRows(db, cursors, nodeId, includeOwn);
        first ??= page.horizon;
        cursors = page.unfinished;
        if (page.rows.length > 0) found(page.rows);
      } finally {
        scheduler.endOffer(offer);
      }
    } while (cursors.length > 0);
    return first;
  }
}

function rewound(horizon: Beginning): Beginning {
  if (horizon.isRewound) return horizon;
  const { xid } = horizon;
  return { ...horizon, xid: xid > REWOUND_XIDS ? xid - REWOUND_XIDS : 0n, isRewound: true };
}
