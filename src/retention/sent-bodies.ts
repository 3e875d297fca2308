import type { Logger } from 'pino';
import { object, readStoredJson } from '../core/json/index.ts';
import { Chores } from '../core/run/chores.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { groupByMessageTable } from '../database/days/message-tables.ts';
import {
  decodeCursor,
  type EventPosition,
  type EventType,
  encodeCursor,
  FIRST_POSITION,
  listEventHeads,
  positionBefore,
} from '../events/index.ts';
import { findPosition, listWithoutBodies, lockPosition, lockSent, replaceBodies, storePosition } from './queries.ts';

/** Delay between two looks while an organization keeps no bodies. */
const LOOK_MS = 1_000;
/** The same while none does; a change of a setting is noticed at once. */
const REST_MS = 60_000;
/** Most events read in one step. */
const EVENTS_AT_ONCE = 1_000;
/** Events by which the sending of a message has ended. The body of a message in any other state may be sent again. */
const ENDED: ReadonlySet<EventType> = new Set(['message.sent', 'message.delivered', 'message.read', 'message.failed']);

/**
 * Removes the bodies of sent messages for organizations that keep none: about a second after a message was sent or has failed. Follows the
 * events of these organizations in commit order, so nothing is done for any other organization. Safe on any number of nodes. Dispose it
 * with `stop()`.
 */
export class SentBodies {
  readonly #deps: { db: Database; clock: Clock };
  readonly #chores: Chores;
  #organizationIds: readonly string[] = [];
  #listedAtMs = Number.NEGATIVE_INFINITY;
  #wake: () => void = () => {};

  constructor(deps: { db: Database; clock: Clock; log: Logger; changes: Pick<Changes, 'follow'> }) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
    const listAgain = () => {
      this.#listedAtMs = Number.NEGATIVE_INFINITY;
      this.#wake();
    };
    deps.changes.follow('organization', listAgain, listAgain);
  }

  /** Starts the work. */
  start(): void {
    this.#wake = this.#chores.every(
      () => (this.#organizationIds.length > 0 ? LOOK_MS : REST_MS),
      () => this.#run(),
      0,
    );
  }

  /** Resolves when the step in progress has ended. */
  stop(): Promise<void> {
    return this.#chores.stop();
  }

  async #run(): Promise<void> {
    const { db, clock } = this.#deps;
    if (clock.monotonicMs() - this.#listedAtMs >= REST_MS) {
      this.#listedAtMs = clock.monotonicMs();
      this.#organizationIds = await listWithoutBodies(db);
    }
    for (const organizationId of this.#organizationIds) {
      while (!this.#chores.stopped && (await removeNext(this.#deps, organizationId)));
    }
  }
}

/** Removes the bodies of the messages whose sending ended in the next events of an organization. Returns true if more may follow. */
async function removeNext({ db, clock }: { db: Database; clock: Clock }, organizationId: string): Promise<boolean> {
  const stored = await findPosition(db, organizationId, 'bodies');
  const after = stored === null ? FIRST_POSITION : decodeCursor(stored);
  const { heads, horizon, isKnown } = await listEventHeads(db, organizationId, after, EVENTS_AT_ONCE);
  // The event of the position was deleted, or the database restored to an earlier time: only the time of the position counts then.
  const isLost = !isKnown || BigInt(after.xid) > BigInt(horizon);
  const isCut = heads.length === EVENTS_AT_ONCE;
  if (heads.length === 0 && !isLost) return false;
  const next: EventPosition | undefined = isLost
    ? { ...FIRST_POSITION, atSeconds: after.atSeconds }
    : isCut
      ? heads.at(-1)?.position
      : positionBefore(horizon, clock.now());
  const ended = heads.filter(({ type }) => !isLost && ENDED.has(type)).map(({ position }) => position.subjectId);
  return await db.transaction(async (tx) => {
    const locked = await lockPosition(tx, organizationId, 'bodies');
    // Another node works on these events, or has done so since they were read.
    if (locked === undefined || locked.position !== stored || next === undefined) return false;
    const nowMs = clock.now();
    for (const { items } of groupByMessageTable([...new Set(ended)].sort(), (id) => id, nowMs)) {
      const sent = await lockSent(tx, organizationId, items, nowMs);
      const blank = sent.map(({ id, body }) => ({ id, body: withoutContents(body) }));
      await replaceBodies(tx, organizationId, blank, nowMs);
    }
    await storePosition(tx, organizationId, 'bodies', encodeCursor(next));
    return isCut || isLost;
  });
}

/** Returns a body with nothing but its recipient. */
function withoutContents(body: string): string {
  const document = readStoredJson(body);
  return object([
    ['to', document.rawOf(['to'])],
    ['recipient_type', document.rawOf(['recipient_type'])],
    ['recipient', document.rawOf(['recipient'])],
  ]);
}
