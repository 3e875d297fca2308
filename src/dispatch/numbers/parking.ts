import type { Logger } from 'pino';
import { parkNumber, parkWaba, type SendingNumber, type UsedToken } from '../../accounts/index.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Park, Reaction } from '../outcomes/outcome-policy.ts';
import type { Dispatch, Scheduler } from '../scheduler/index.ts';
import type { NumberBook } from './number-book.ts';
import type { ThrottleBroadcast } from './throttle-broadcast.ts';

export interface ParkingDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  scheduler: Pick<Scheduler, 'parkNumber' | 'penalizePair' | 'stopNumber'>;
  book: Pick<NumberBook, 'find' | 'listAccount' | 'refresh'>;
  throttles: Pick<ThrottleBroadcast, 'send'>;
}

/** The place of a message that met a problem. Its number may have moved to another node since. */
type Place = Pick<Dispatch, 'organizationId' | 'numberId' | 'contact'>;
type Pair = Pick<Place, 'numberId' | 'contact'>;
type Stop = Extract<Reaction, { kind: 'stop' }>;

/** Covers the time until the account's new state has been read. */
const STOP_WAIT_MS = 5_000;
/**
 * Strikes of a pair are never cleared if its messages expire or move to another node, so the map is bounded. Losing strikes only shortens a
 * wait.
 */
const PAIRS_MAX = 20_000;

/** Parks the scope of a problem that one message met: its pair, its number, the numbers of its WABA or of its app, or all numbers. */
export class Parking {
  readonly #deps: ParkingDeps;
  readonly #strikes = new Map<string, number>();
  /** Problems being noted, keyed by the refusal and the token. */
  readonly #notes = new Map<string, Promise<void>>();

  constructor(deps: ParkingDeps) {
    this.#deps = deps;
  }

  /** Returns how often the platform has throttled this pair since it last accepted or rejected a message of it. */
  strikesOf(place: Pair): number {
    return this.#strikes.get(pairOf(place)) ?? 0;
  }

  clearStrikes(place: Pair): void {
    this.#strikes.delete(pairOf(place));
  }

  /** Parks the scope. `wabaId` is the account whose token the message used or was to use. */
  park(place: Place, wabaId: string, { scope, waitMs, reason }: Park): void {
    const { scheduler, clock, throttles } = this.#deps;
    const { organizationId, numberId, contact } = place;
    const nowMs = clock.monotonicMs();
    const untilMs = nowMs + waitMs;
    if (scope === 'pair') {
      const strikes = this.strikesOf(place) + 1;
      if (strikes === 1 && this.#strikes.size >= PAIRS_MAX) this.#strikes.clear();
      this.#strikes.set(pairOf(place), strikes);
      scheduler.penalizePair(nowMs, numberId, contact, untilMs);
      return;
    }
    if (scope === 'number') scheduler.parkNumber(nowMs, numberId, untilMs, reason);
    else {
      // Undefined if the number has moved to another node meanwhile: then all numbers wait.
      const appId = this.#deps.book.find(numberId)?.appId;
      throttles.send({ scope, account: { organizationId, wabaId }, appId, waitMs, reason });
    }
  }

  /**
   * Stops the scope of a credential or account problem before any other message of it goes, until `noteStop` has noted it. `wabaId` as for
   * `park`.
   */
  stop({ organizationId, numberId }: Place, wabaId: string, { scope, code }: Stop): void {
    const { scheduler, clock, book } = this.#deps;
    const nowMs = clock.monotonicMs();
    for (const stopped of scope === 'number' ? [{ numberId }] : book.listAccount({ organizationId, wabaId }))
      scheduler.stopNumber(nowMs, stopped.numberId, nowMs + STOP_WAIT_MS, `upstream ${code}`);
  }

  /**
   * Notes a credential or account problem on the account; its messages wait from then on until the tenant acts. The account is the one
   * whose token was used, because the number may have moved since.
   * Noted once for all messages in flight, and not at all if the tenant has acted since. Never rejects.
   */
  async noteStop({ numberId }: Pick<Place, 'numberId'>, stop: Stop, used: UsedToken): Promise<void> {
    const number = this.#deps.book.find(numberId);
    if (number === undefined || number.parked?.code === stop.code) return;
    const what = `${stop.scope}:${stop.code}:${numberId}:${used.wabaId}:${used.version}:${used.readAt?.getTime()}`;
    const note = this.#notes.get(what) ?? this.#note(number, stop, used).finally(() => this.#notes.delete(what));
    this.#notes.set(what, note);
    await note;
  }

  async #note({ numberId, phoneNumberId }: SendingNumber, stop: Stop, used: UsedToken): Promise<void> {
    const { book, scheduler, clock, log } = this.#deps;
    const { wabaId } = used;
    const { scope, code } = stop;
    try {
      const parked =
        scope === 'number'
          ? await parkNumber(this.#deps, phoneNumberId, used, stop)
          : await parkWaba(this.#deps, used, stop);
      if (parked) log.warn({ wabaId, phoneNumberId, scope, code }, 'upstream blocked the account; its messages wait');
    } catch (error) {
      log.error({ err: error, wabaId }, 'account problem not noted; its state is read again');
    }
    await book
      .refresh((number) => number.numberId === numberId)
      .catch(() => scheduler.stopNumber(clock.monotonicMs(), numberId, clock.monotonicMs() + STOP_WAIT_MS, code));
  }
}

function pairOf({ numberId, contact }: Pair): string {
  return `${numberId}:${contact}`;
}
