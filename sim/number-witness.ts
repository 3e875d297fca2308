import type { Coverage } from './coverage.ts';
import type { EventLoop } from './event-loop.ts';
import type { Refusal } from './platform.ts';
import type { ModelStore } from './store/model-store.ts';
import { tokenOf } from './store/statements/account-statements.ts';
import type { NumberRow, QueueRow } from './store/tables.ts';
import { watchWrites } from './watch-writes.ts';

const SECOND_MS = 1_000;
/** Longest time between a message's release by the pace and its first byte, ms. */
const LET_THROUGH_MS = 10;
/** Longest time between the commit of a message's journal row and its first byte, ms. A later message is not sent with this row. */
const SENT_WITHIN_MS = 3_000;
/** Longest wait without a reason, ms: a pair's next message may be due in six seconds. */
const STANDSTILL_MS_MAX = 8_000;

export interface NumberWitnessOptions {
  loop: EventLoop;
  store: ModelStore;
  coverage: Coverage;
  /** True if nothing is ever slow or down and the platform answers everything; then a number must send as soon as it may. */
  isCalm: boolean;
  /** Ends the run with a violation. */
  fail: (message: string) => void;
}

/** A queued message, and the time at which it was queued. */
type JudgedMessage = Pick<QueueRow, 'numberId'> & { queuedAtMs: number };

/** Judges if a number may send at the moment of a request: its state as the sending node enforces it, its pace and its throttles. */
export class NumberWitness {
  readonly #loop: EventLoop;
  readonly #store: ModelStore;
  readonly #coverage: Coverage;
  readonly #isCalm: boolean;
  readonly #fail: (message: string) => void;
  /** Phone number ids of the numbers that were changed. */
  readonly #changed = new Set<string>();
  /** By node and number: time since which the node enforces the current state of a changed number. */
  readonly #inForce = new Map<string, Map<string, number>>();
  /** By number: time since which it is paused or released. */
  readonly #stoppedAtMs = new Map<number, number>();
  /** By node and number id (a reconnected number has a new one): time until which the platform refuses its messages from this node. */
  readonly #throttled = new Map<string, { fromMs: number; untilMs: number }>();
  /** By phone number id: last time at which the number sent or could not send. */
  readonly #heldUpAtMs = new Map<string, number>();
  /** By node and number: times of the requests of the last second. */
  readonly #written = new Map<string, number[]>();

  constructor({ loop, store, coverage, isCalm, fail }: NumberWitnessOptions) {
    this.#loop = loop;
    this.#store = store;
    this.#coverage = coverage;
    this.#isCalm = isCalm;
    this.#fail = fail;
    const { numbers, wabas } = store.tables;
    watchWrites(numbers, (_, row) => this.#numberChanged(row));
    watchWrites(wabas, (_, { wabaId }) => {
      for (const number of numbers.values()) if (number.wabaId === wabaId) this.#numberChanged(number);
    });
  }

  /** Records that from now on this node enforces the current state of the number. */
  inForce(nodeId: string, phoneNumberId: string): void {
    this.#inForce.set(nodeId, (this.#inForce.get(nodeId) ?? new Map()).set(phoneNumberId, this.#loop.nowMs));
    this.#holdUp(phoneNumberId, this.#loop.nowMs);
  }

  /** Records that a node received a throttle of an account or of the whole app. */
  refused(nodeId: string, wabaId: string, refusal: Refusal): void {
    if (refusal.kind === 'blocked' || refusal.scope === 'number' || refusal.scope === 'pair') return;
    const { nowMs } = this.#loop;
    const untilMs = nowMs + Math.max(1_000, refusal.retryAfterMs ?? 60_000);
    for (const number of this.#store.tables.numbers.values()) {
      if (refusal.scope === 'waba' && number.wabaId !== wabaId) continue;
      const place = `${nodeId}/${number.numberId}`;
      const known = this.#throttled.get(place);
      const isLonger = known !== undefined && known.untilMs > nowMs;
      const fromMs = isLonger ? known.fromMs : nowMs + SENT_WITHIN_MS;
      this.#throttled.set(place, { fromMs, untilMs: isLonger ? Math.max(untilMs, known.untilMs) : untilMs });
      // The scheduler adds up to a quarter, so that not all numbers resume at once.
      this.#holdUp(number.phoneNumberId, nowMs + 1.25 * (untilMs - nowMs));
    }
  }

  /** Checks a request against the state of its number that is in force on this node. */
  judge(label: string, message: JudgedMessage, token: string, nodeId: string): void {
    const { tables } = this.#store;
    const { numberId } = message;
    const number = tables.numbers.get(numberId);
    if (number === undefined) throw new Error(`unknown number  ${numberId}`);
    const { phoneNumberId, messagesPerSecond } = number;
    const waba = number.releasedAtMs === null ? tables.wabas.get(number.wabaId) : undefined;
    const { nowMs } = this.#loop;
    const place = `${nodeId}/${phoneNumberId}`;
    if (this.#isCalm) this.#judgeMoment(label, message, number, nodeId);
    this.#holdUp(phoneNumberId, nowMs);
    const sinceMs = this.#inForce.get(nodeId)?.get(phoneNumberId);
    const written = (this.#written.get(place) ?? []).filter((atMs) => nowMs - atMs < SECOND_MS);
    this.#written.set(place, [...written, nowMs]);
    if (nowMs - (this.#stoppedAtMs.get(numberId) ?? nowMs) > SENT_WITHIN_MS)
      this.#fail(`a request went out for ${label}, which was journaled after its number was paused or disconnected`);
    if (sinceMs === undefined) return;
    if (number.paused || number.releasedAtMs !== null)
      this.#fail(`a request went out for ${label}, whose number was paused or disconnected`);
    if (number.parkedCode !== null || (waba?.parkedCode ?? null) !== null)
      this.#fail(`a request went out for ${label}, whose number was parked`);
    if (written.filter((atMs) => atMs >= sinceMs + LET_THROUGH_MS).length >= Math.ceil(messagesPerSecond))
      this.#fail(`a request went out for ${label} beyond the ${messagesPerSecond}/s of its number`);
    if (waba !== undefined && token !== tokenOf(waba.wabaId, waba.tokenVersion) && nowMs - sinceMs > SENT_WITHIN_MS)
      this.#fail(`a request went out for ${label} with a token that had been replaced`);
  }

  /** Checks that a throttle stops the numbers it concerns and no others. */
  #judgeMoment(label: string, { queuedAtMs }: JudgedMessage, number: NumberRow, nodeId: string): void {
    const { numberId, phoneNumberId, messagesPerSecond } = number;
    const { nowMs } = this.#loop;
    const throttled = this.#throttled.get(`${nodeId}/${numberId}`);
    if (throttled !== undefined && throttled.fromMs < nowMs && nowMs < throttled.untilMs)
      this.#fail(`a request went out for ${label} while its account was throttled`);
    const stoodMs = nowMs - Math.max(queuedAtMs, this.#heldUpAtMs.get(phoneNumberId) ?? 0);
    // A reconnected number waits for the messages of its predecessor.
    const isAnew = this.#store.tables.numbersCalled(phoneNumberId).length > 1;
    // A node that does not know of a change yet sends at the former rate.
    const isAware = !this.#changed.has(phoneNumberId) || this.#inForce.get(nodeId)?.has(phoneNumberId) === true;
    if (isAware && !isAnew && stoodMs > STANDSTILL_MS_MAX + 1_000 / messagesPerSecond)
      this.#fail(`${label} waited for ${stoodMs.toFixed(0)} ms while nothing held up its number`);
    const isBeside = [...this.#throttled.values()].some((other) => nowMs < other.untilMs);
    if (isBeside && (throttled === undefined || throttled.untilMs <= nowMs))
      this.#coverage.hit('went on beside a throttled account');
  }

  #holdUp(phoneNumberId: string, untilMs: number): void {
    this.#heldUpAtMs.set(phoneNumberId, Math.max(untilMs, this.#heldUpAtMs.get(phoneNumberId) ?? 0));
  }

  #numberChanged({ numberId, phoneNumberId, paused, releasedAtMs }: NumberRow): void {
    if (!paused && releasedAtMs === null) this.#stoppedAtMs.delete(numberId);
    else if (!this.#stoppedAtMs.has(numberId)) this.#stoppedAtMs.set(numberId, this.#loop.nowMs);
    this.#changed.add(phoneNumberId);
    for (const numbers of this.#inForce.values()) numbers.delete(phoneNumberId);
  }
}
