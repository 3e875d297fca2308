import { LEASES } from '../src/dispatch/sending/journal-queries.ts';
import { TAKEN } from '../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import type { Coverage, Site } from './coverage.ts';
import type { EventLoop } from './event-loop.ts';
import type { Refusal } from './platform.ts';
import type { Written } from './requests.ts';
import { readEnvelope } from './sender.ts';
import type { ModelStore } from './store/model-store.ts';
import { tokenOf } from './store/statements/account-statements.ts';
import type { JournalRow, MessageRow, NumberRow, QueueRow } from './store/tables.ts';
import type { Trace } from './trace.ts';

/** A violated invariant. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

const SECOND_MS = 1_000;
/** Longest time between a message's release by the pace and its first byte, ms. */
const LET_THROUGH_MS = 10;
/** Longest time between the commit of a message's journal row and its first byte, ms. A later message is not sent with this row. */
const SENT_WITHIN_MS = 3_000;
/** Longest wait without a reason, ms: a pair's next message may be due in six seconds. */
const STANDSTILL_MS_MAX = 8_000;
/** Beyond this number of flows, the scheduler forgets flows whose loss changes nothing. */
const FLOWS_MANY = 16;
const FAILED = 4;
const READ = 3;

export interface WitnessOptions {
  loop: EventLoop;
  store: ModelStore;
  coverage: Coverage;
  trace: Trace;
  /** True if nothing is ever slow or down and the platform answers everything; then a number must send as soon as it may. */
  isCalm: boolean;
}

/** Watches every commit and every byte sent, and ends the run at the first violation. */
export class Witness {
  readonly #resends = new Map<string, number[]>();
  readonly #loop: EventLoop;
  readonly #store: ModelStore;
  readonly #coverage: Coverage;
  readonly #trace: Trace;
  readonly #isCalm: boolean;
  readonly #labels = new Map<string, string>();
  readonly #cancelled = new Set<string>();
  /** By id: messages that a journal write found cancelled. */
  readonly #toldCancelled = new Set<string>();
  /** By owner, batch and id: messages that a journal write found on a released number. */
  readonly #toldReleased = new Set<string>();
  /** By node and number: time since which the node enforces the current state of the number. */
  readonly #inForce = new Map<string, Map<string, number>>();
  /** By number: time since which it is paused or released. */
  readonly #stoppedAtMs = new Map<number, number>();
  /** By node and number id (a reconnected number has a new one): time until which the platform refuses its messages from this node. */
  readonly #throttled = new Map<string, { fromMs: number; untilMs: number }>();
  /** By phone number id: last time at which the number sent or could not send. */
  readonly #heldUpAtMs = new Map<string, number>();
  /** By seq: time at which the message was queued. */
  readonly #queuedAtMs = new Map<number, number>();
  /** Seqs of messages that a request went out for. */
  readonly #requested = new Set<number>();
  /** By message id: its last row in the queue. */
  readonly #lastQueued = new Map<string, QueueRow>();
  /** By message id: its requests so far. */
  readonly #requests = new Map<string, Written[]>();
  /** By label: key under which the message was queued. */
  readonly #keys = new Map<string, string>();
  /** By node and number: times of the requests of the last second. */
  readonly #written = new Map<string, number[]>();

  constructor({ loop, store, coverage, trace, isCalm }: WitnessOptions) {
    this.#loop = loop;
    this.#store = store;
    this.#coverage = coverage;
    this.#trace = trace;
    this.#isCalm = isCalm;
    watchWrites(store.tables.messages, (old, row) => this.#messageWritten(old, row));
    watchWrites(store.tables.queue, (old, row) => this.#queueWritten(old, row));
    watchWrites(store.tables.numbers, (_, row) => this.#numberChanged(row));
    watchWrites(store.tables.wabas, (_, { wabaId }) => {
      for (const number of store.tables.numbers.values()) if (number.wabaId === wabaId) this.#numberChanged(number);
    });
  }

  /** Returns the times at which a message was released again because its outcome stayed unknown. */
  resendsOf(messageId: string): number[] {
    return this.#resends.get(messageId) ?? [];
  }

  /** Returns the client's label of a message. */
  labelOf(message: MessageRow): string {
    const known = this.#labels.get(message.id);
    if (known !== undefined) return known;
    const label = message.direction === 0 ? readEnvelope(message.body).label : 'inbound';
    this.#labels.set(message.id, label);
    return label;
  }

  /** Returns the key under which a message was queued when it was last sent. */
  keyOf(label: string): string {
    return this.#keys.get(label) ?? '';
  }

  /** Records that from now on this node enforces the current state of the number. */
  numberInForce(nodeId: string, phoneNumberId: string): void {
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

  /** Checks a request's first byte: its message must be queued, not held, and named by a committed journal row of the sending node. */
  requestWritten(written: Written, nodeId: string): void {
    const { label, token, wallMs } = written;
    const { tables } = this.#store;
    const messages = [...tables.messages.values()].filter((message) => this.labelOf(message) === label);
    const ids = new Set(messages.map((message) => message.id));
    const rows = [...tables.queue.values()].filter((row) => ids.has(row.messageId));
    const isSenders = (row: QueueRow) => this.#journalsOf(row).some(({ owner }) => owner === nodeId);
    // A send repeated while its number was connected anew waits twice: the sender has journaled one of them.
    const queued = rows.find(isSenders) ?? rows[0];
    // A number that was connected again shares no keys with its predecessor: a message cancelled with that one is another message.
    const isOver = ({ id, status, errorCode }: MessageRow) =>
      id === queued?.messageId ? status !== 0 : errorCode !== 'CANCELLED' && status !== 0;
    if (queued === undefined || messages.some(isOver)) {
      this.#fail(`a request went out for ${label}, which is not queued any more`);
      return;
    }
    this.#keys.set(label, queued.contact);
    this.#requested.add(queued.seq);
    if (this.#toldCancelled.has(queued.messageId))
      this.#fail(`a request went out for ${label}, which was known to be cancelled`);
    if (queued.holdUntilMs !== null) this.#fail(`a request went out for ${label}, whose outcome is held`);
    if (queued.expiresAtMs <= wallMs) this.#fail(`a request went out for ${label}, which had expired`);
    this.#judgeRoad(written, queued.messageId);
    this.#judgeNumber(label, queued, token, nodeId);
    if (!isSenders(queued)) this.#fail(`a request went out for ${label} without a journal row of its sender`);
    this.#judgeBeside(label, queued);
  }

  /** Checks that no request goes another road than an earlier one of its message, unless that one was definitely refused. */
  #judgeRoad(written: Written, messageId: string): void {
    const { label, road } = written;
    const requests = this.#requests.get(messageId) ?? [];
    const others = requests.filter((earlier) => earlier.road !== road);
    if (others.some((earlier) => !earlier.isRefused))
      this.#fail(`a request went out for ${label} to ${road}, although one to another edge has an unknown outcome`);
    if (others.length > 0) this.#hit('road changed after a refusal');
    this.#requests.set(messageId, [...requests, written]);
  }

  /** Checks that a reconnected number and its predecessor have no requests in flight, or with an unknown outcome, at once. */
  #judgeBeside(label: string, { numberId }: QueueRow): void {
    const { queue, numbers } = this.#store.tables;
    const phoneNumberId = numbers.get(numberId)?.phoneNumberId;
    for (const other of queue.values()) {
      if (other.numberId === numberId || numbers.get(other.numberId)?.phoneNumberId !== phoneNumberId) continue;
      // A journal row alone is no request: its node may know by now that the number was released.
      if (this.#requested.has(other.seq) && (other.holdUntilMs !== null || this.#journalsOf(other).length > 0))
        this.#fail(
          `a request went out for ${label} beside ${this.#labels.get(other.messageId)}, sent while its number was connected otherwise`,
        );
    }
  }

  /** Returns the journal rows with which a message may be sent or was sent, without those that found its number released. */
  #journalsOf({ seq, messageId }: QueueRow): JournalRow[] {
    return [...this.#store.tables.journal.values()].filter(
      ({ owner, batch, messages }) =>
        messages.some((named) => named.seq === seq) && !this.#toldReleased.has(placeOf(owner, batch, messageId)),
    );
  }

  /** Checks a request against the state of its number that is in force on this node. */
  #judgeNumber(label: string, { numberId, seq }: QueueRow, token: string, nodeId: string): void {
    const { tables } = this.#store;
    const number = tables.numbers.get(numberId);
    if (number === undefined) throw new Error(`unknown number  ${numberId}`);
    const { phoneNumberId, messagesPerSecond } = number;
    const waba = number.releasedAtMs === null ? tables.wabas.get(number.wabaId) : undefined;
    const { nowMs } = this.#loop;
    const place = `${nodeId}/${phoneNumberId}`;
    if (this.#isCalm) this.#judgeMoment(label, seq, number, nodeId);
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
  #judgeMoment(label: string, seq: number, number: NumberRow, nodeId: string): void {
    const { numberId, phoneNumberId, messagesPerSecond } = number;
    const { nowMs } = this.#loop;
    const throttled = this.#throttled.get(`${nodeId}/${numberId}`);
    if (throttled !== undefined && throttled.fromMs < nowMs && nowMs < throttled.untilMs)
      this.#fail(`a request went out for ${label} while its account was throttled`);
    const stoodMs = nowMs - Math.max(this.#queuedAtMs.get(seq) ?? 0, this.#heldUpAtMs.get(phoneNumberId) ?? 0);
    // A reconnected number waits for the messages of its predecessor.
    const isAnew = this.#store.tables.numbersCalled(phoneNumberId).length > 1;
    if (!isAnew && stoodMs > STANDSTILL_MS_MAX + 1_000 / messagesPerSecond)
      this.#fail(`${label} waited for ${stoodMs.toFixed(0)} ms while nothing held up its number`);
    const isBeside = [...this.#throttled.values()].some((other) => nowMs < other.untilMs);
    if (isBeside && (throttled === undefined || throttled.untilMs <= nowMs))
      this.#hit('went on beside a throttled account');
  }

  #holdUp(phoneNumberId: string, untilMs: number): void {
    this.#heldUpAtMs.set(phoneNumberId, Math.max(untilMs, this.#heldUpAtMs.get(phoneNumberId) ?? 0));
  }

  #numberChanged({ numberId, phoneNumberId, paused, releasedAtMs }: NumberRow): void {
    if (!paused && releasedAtMs === null) this.#stoppedAtMs.delete(numberId);
    else if (!this.#stoppedAtMs.has(numberId)) this.#stoppedAtMs.set(numberId, this.#loop.nowMs);
    for (const numbers of this.#inForce.values()) numbers.delete(phoneNumberId);
  }

  /** Counts rare paths that an executed statement reveals. */
  statementExecuted(name: string, values: readonly unknown[], rows: readonly Record<string, unknown>[]): void {
    const { tables } = this.#store;
    const [first] = rows;
    switch (name) {
      case 'dispatch_journal_write':
        if (first?.leases !== LEASES.parse(values).length) this.#hit('fence refused');
        for (const row of rows) {
          const messageId = row.message_id as string;
          if (row.cancelled === true) this.#toldCancelled.add(messageId);
          if (row.released === true) this.#toldReleased.add(placeOf(values[0], values[1], messageId));
        }
        if (rows.some((row) => row.paused === true)) this.#hit('pause found as a message was journaled');
        break;
      case 'shard_lease_take':
        if (rows.some((row) => row.epoch !== 1)) this.#hit('shards taken over');
        break;
      case 'queue_list_flow_heads': {
        const flows = new Map(rows.map((row) => [`${row.number_id}/${row.flow_id}`, row.number_id]));
        const flowsOf = Map.groupBy(flows.values(), (numberId) => numberId);
        if ([...flowsOf.values()].some(({ length }) => length > FLOWS_MANY))
          this.#hit('number taken over with many flows');
        break;
      }
      case 'dispatch_hold_journaled': {
        const shards = new Set<unknown>(TAKEN.parse(values).map(({ shard }) => shard));
        if ([...tables.journal.values()].some((row) => shards.has(row.shard))) this.#hit('journal taken over');
        break;
      }
      case 'queue_mark_one_cancelled': {
        const row = [...tables.queue.values()].find(({ messageId }) => messageId === values[2]);
        if (rows.length === 0 && row !== undefined && row.holdUntilMs !== null)
          this.#hit('not cancelled for its unknown outcome');
        break;
      }
      case 'early_status_read_recorded':
        if (rows.length > 0) this.#hit('early status applied');
        break;
      case 'early_status_find_settling':
        if (rows.length > 0) this.#hit('hold settled by a status');
        break;
      case 'sending_number_list_behind_former':
        if (rows.length > 0) this.#hit('number connected anew waits for what was sent before');
        break;
      case 'queue_discover':
        if (first?.shard !== null) this.#hit('discovered on another node');
        break;
    }
  }

  #hit(site: Site): void {
    this.#coverage.hit(site);
  }

  #messageWritten(old: MessageRow | undefined, row: MessageRow): void {
    const label = this.labelOf(row);
    if (old === undefined) this.#trace.note(`stored ${label}`);
    else if (old.status !== row.status) this.#trace.note(`${label} is ${row.status} (${row.errorCode ?? row.wamid})`);
    if (old === undefined) return;
    if ((old.status === FAILED || old.status === READ) && row.status !== old.status) {
      this.#fail(`${label} went from final status ${old.status} to ${row.status}`);
    }
    if (row.status !== FAILED && row.status < old.status) {
      this.#fail(`${label} went back from status ${old.status} to ${row.status}`);
    }
    if (old.wamid !== null && row.wamid !== old.wamid) this.#fail(`${label} changed its wamid`);
    if (old.status === 0 && row.errorCode === 'UNKNOWN_OUTCOME') {
      this.#hit('outcome failed as unknown');
      const queued = this.#lastQueued.get(row.id);
      const isWaiting = queued?.holdUntilMs === null && queued.cancelledAtMs === null;
      if (isWaiting && queued.expiresAtMs > this.#store.nowMs() + SECOND_MS)
        this.#hit('unknown outcome ended for its road');
    }
    if (old.status === 0 && row.errorCode === 'EXPIRED') this.#hit('message expired');
    if (old.status === 0 && row.errorCode === 'CANCELLED') {
      const isReleased = this.#store.tables.numbers.get(row.numberId)?.releasedAtMs !== null;
      if (!isReleased && !this.#cancelled.has(row.id))
        this.#fail(`${label} was cancelled, although no client asked for that`);
      this.#hit(isReleased ? 'message ended with its account' : 'message cancelled');
    }
    const number = this.#store.tables.numbers.get(row.numberId);
    const isAnew = number !== undefined && this.#store.tables.numbersCalled(number.phoneNumberId).length > 1;
    if (old.wamid === null && row.wamid !== null && isAnew)
      this.#hit(
        number.releasedAtMs === null ? 'sent from a number connected anew' : 'sent from a number released since',
      );
    if (old.wamid === null && row.wamid !== null && this.#cancelled.has(row.id)) this.#hit('cancelled too late');
  }

  #queueWritten(old: QueueRow | undefined, row: QueueRow): void {
    this.#lastQueued.set(row.messageId, row);
    if (old === undefined) {
      this.#queuedAtMs.set(row.seq, this.#loop.nowMs);
      return;
    }
    if (old.cancelledAtMs === null && row.cancelledAtMs !== null) {
      this.#cancelled.add(row.messageId);
      this.#trace.note(`${this.#labels.get(row.messageId)} is cancelled`);
    }
    if (old.holdUntilMs === null && row.holdUntilMs !== null) {
      this.#hit('outcome held');
      if (row.cancelledAtMs !== null) this.#hit('unknown outcome of a cancelled message');
      this.#trace.note(`outcome of ${this.#labels.get(row.messageId)} is held`);
    }
    if (old.holdUntilMs === null || row.holdUntilMs !== null) return;
    this.#hit('hold ended and sent again');
    this.#resends.set(row.messageId, [...this.resendsOf(row.messageId), this.#loop.nowMs]);
    this.#trace.note(`hold of ${this.#labels.get(row.messageId)} ends, it goes again`);
  }

  #fail(message: string): void {
    this.#loop.fail(new InvariantViolation(message));
  }
}

function placeOf(owner: unknown, batch: unknown, messageId: string): string {
  return `${owner}/${batch}/${messageId}`;
}

/** Calls `watch` before every write to a table. */
export function watchWrites<Key, Value>(
  map: Map<Key, Value>,
  watch: (old: Value | undefined, next: Value) => void,
): void {
  const set = map.set.bind(map);
  map.set = (key, value) => {
    watch(map.get(key), value);
    return set(key, value);
  };
}
