import type { Logger } from 'pino';
import { parkNumber, parkWaba, type SendingNumber, type UsedToken } from '../../accounts/index.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Park, Reaction } from '../outcomes/outcome-policy.ts';
import type { Dispatch, Scheduler } from '../scheduler/index.ts';
import type { NumberBook } from './number-book.ts';
import type { ThrottleNews } from './throttle-news.ts';

export interface ParkingDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  scheduler: Scheduler;
  book: NumberBook;
  throttles: Pick<ThrottleNews, 'tell'>;
}

/** Where a message met something. Its number may have been given back to another node since. */
type Place = Pick<Dispatch, 'organizationId' | 'numberId' | 'contact'>;
type Pair = Pick<Place, 'numberId' | 'contact'>;
type Stop = Extract<Reaction, { kind: 'stop' }>;

/** Until the account's new state has been read. */
const STOP_WAIT_MS = 5_000;
/** Strikes of a pair whose messages expired or went to another node are never cleared. Forgetting some costs a shorter wait. */
const PAIRS_MAX = 20_000;

/** Makes everything wait that shares what one message met: its pair, its number, the numbers of its WABA, or all numbers. */
export class Parking {
  readonly #deps: ParkingDeps;
  readonly #strikes = new Map<string, number>();
  /** What is being noted, by what was refused with which token. */
  readonly #notes = new Map<string, Promise<void>>();

  constructor(deps: ParkingDeps) {
    this.#deps = deps;
  }

  /** How often the upstream has throttled this pair since it last took or refused a message of it. */
  strikesOf(place: Pair): number {
    return this.#strikes.get(pairOf(place)) ?? 0;
  }

  clearStrikes(place: Pair): void {
    this.#strikes.delete(pairOf(place));
  }

  /** Makes the scope wait; `wabaId` is the account whose token the message went with, or was to. */
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
    else throttles.tell({ scope, account: { organizationId, wabaId }, waitMs, reason });
  }

  /**
   * Parks the scope of a credential or account problem, before anything else of it goes, until `noteStop` has noted it. `wabaId` as for
   * `park`.
   */
  stop({ organizationId, numberId }: Place, wabaId: string, { scope, code }: Stop): void {
    const { scheduler, clock, book } = this.#deps;
    const nowMs = clock.monotonicMs();
    for (const stopped of scope === 'number' ? [{ numberId }] : book.listAccount({ organizationId, wabaId }))
      scheduler.stopNumber(nowMs, stopped.numberId, nowMs + STOP_WAIT_MS, `upstream ${code}`);
  }

  /**
   * Notes a credential or account problem with the account, whose messages wait from then on until someone acts: with the one whose
   * token was used, for the number may have moved since. Once, however much there was in flight; not at all when someone has acted
   * since. Never rejects.
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
      log.error({ err: error, wabaId }, 'account problem not noted');
    }
    await book
      .refresh((number) => number.numberId === numberId)
      .catch(() => scheduler.stopNumber(clock.monotonicMs(), numberId, clock.monotonicMs() + STOP_WAIT_MS, code));
  }
}

function pairOf({ numberId, contact }: Pair): string {
  return `${numberId}:${contact}`;
}
