import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import { cursorsFrom, discoverRows, type Horizon, readHorizon } from '../queue/discovery-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Scheduler } from '../scheduler/index.ts';

export interface QueueDiscoveryDeps {
  db: Database;
  clock: Clock;
  nodeId: string;
  /** No other node accepts anything: this node's rows are handed over as they are stored, and looked for only after a doubt. */
  alone: boolean;
  scheduler: Pick<Scheduler, 'beginOffer' | 'endOffer'>;
  /** Takes over what was found, before more is looked for. */
  found: (rows: QueueRow[]) => void;
}

/** A statement whose connection broke may still be executed when the server gets to it; so long its rows are looked for. */
const DOUBT_MS = 120_000;
/**
 * A server that crashed may hand out again the ids of transactions that left no trace in its log, so a horizon from before may
 * lie above what is committed afterwards. Looking at so many ids again costs little.
 */
const REWOUND_XIDS = 10_000n;

/** Where a look begins. Lowered once: nothing more is known, and given out, while the database stays away. */
interface Beginning extends Horizon {
  readonly isRewound?: true;
}

/**
 * Finds rows that appear in the queues of shards worked on here. Each shard has a horizon: everything below it has been read,
 * everything committed later lies above.
 *
 * With other nodes about, this node's own rows are found here too, not handed over: of two sends that follow each other, the
 * first may have been accepted elsewhere, and only one snapshot of both knows which it was.
 */
export class QueueDiscovery {
  readonly #deps: QueueDiscoveryDeps;
  /** Known by which it is, not by its value: a shard taken anew may begin where it was. */
  readonly #horizons = new Map<number, Beginning>();
  /** The newest horizon seen: a lower bound for the id of every transaction begun from now on. */
  #newest: Beginning = { xid: 0n, stillOpen: [] };
  readonly #newestAtOffer = new Map<number, bigint>();
  #timesRewound = 0;
  #doubtUntilMs = Number.NEGATIVE_INFINITY;
  /** How often something was left to a look to find, and what this came to before the last look that succeeded. */
  #timesLeft = 0;
  #timesFound = 0;

  constructor(deps: QueueDiscoveryDeps) {
    this.#deps = deps;
  }

  /** Call before these shards' queues are read: what that reading cannot see will be found. */
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

  /** This node is about to store rows; `offer` names the attempt. */
  noteOffer(offer: number): void {
    this.#newestAtOffer.set(offer, this.#newest.xid);
  }

  forgetOffer(offer: number): void {
    this.#newestAtOffer.delete(offer);
  }

  /** Rows of this node may come to exist, now or a while later, that it never hears of. */
  doubt(offer: number): void {
    const from = this.#newestAtOffer.get(offer) ?? 0n;
    this.#beginDoubt();
    this.leave();
    // Anew in any case: a look under way may be leaving out this node's rows, and must not raise them.
    for (const [shard, horizon] of this.#horizons)
      this.#horizons.set(shard, { ...horizon, xid: from < horizon.xid ? from : horizon.xid });
  }

  /** Rows of this node were stored that a look is to find. */
  leave(): void {
    this.#timesLeft += 1;
  }

  /**
   * Whether looks find this node's rows, too, and all it stores has to be left to them. With nobody else about that is after a doubt, for
   * its time and until all that was left has been looked for: under a load without gaps as long as that lasts.
   */
  get findsOwn(): boolean {
    const { alone, clock } = this.#deps;
    return !alone || clock.monotonicMs() < this.#doubtUntilMs || this.#timesFound < this.#timesLeft;
  }

  /**
   * The database may have crashed and be back before a look could fail, or be another one: looks begin lower once more. What is being
   * read just now may have been answered before that.
   */
  rewind(): void {
    this.#timesRewound += 1;
    this.#newest = rewound(this.#newest);
    for (const [shard, horizon] of this.#horizons) this.#horizons.set(shard, rewound(horizon));
  }

  /** Looks for rows of these shards, page by page. Rejects when the database does; the next call makes up for it. */
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
      // A shard taken anew, or doubted, while this was read has a horizon of its own again.
      for (const [shard, started] of from)
        if (this.#horizons.get(shard) === started) this.#horizons.set(shard, horizon);
    } catch (error) {
      this.rewind();
      // A server that does not answer gets to nothing else either.
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
