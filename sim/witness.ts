import { LEASES } from '../src/dispatch/sending/journal-queries.ts';
import { TAKEN } from '../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import type { Coverage, Site } from './coverage.ts';
import type { EventLoop } from './event-loop.ts';
import { NumberWitness } from './number-witness.ts';
import type { Written } from './requests.ts';
import { readEnvelope } from './sender.ts';
import type { ModelStore } from './store/model-store.ts';
import type { JournalRow, MessageRow, QueueRow } from './store/tables.ts';
import type { Trace } from './trace.ts';
import { watchWrites } from './watch-writes.ts';

/** A violated invariant. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

const SECOND_MS = 1_000;
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
  /** Judges the moments of the requests. */
  readonly numbers: NumberWitness;
  readonly #resends = new Map<string, number[]>();
  readonly #loop: EventLoop;
  readonly #store: ModelStore;
  readonly #coverage: Coverage;
  readonly #trace: Trace;
  readonly #labels = new Map<string, string>();
  readonly #cancelled = new Set<string>();
  /** By id: messages that a journal write found cancelled. */
  readonly #toldCancelled = new Set<string>();
  /** By owner, batch and id: messages that a journal write found on a released number. */
  readonly #toldReleased = new Set<string>();
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

  constructor(options: WitnessOptions) {
    const { loop, store, coverage, trace } = options;
    this.#loop = loop;
    this.#store = store;
    this.#coverage = coverage;
    this.#trace = trace;
    this.numbers = new NumberWitness({ ...options, fail: (message) => this.#fail(message) });
    watchWrites(store.tables.messages, (old, row) => this.#messageWritten(old, row));
    watchWrites(store.tables.queue, (old, row) => this.#queueWritten(old, row));
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
    this.numbers.judge(label, { ...queued, queuedAtMs: this.#queuedAtMs.get(queued.seq) ?? 0 }, token, nodeId);
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
      case 'message_accept_journaled':
      case 'message_accept_keyed_journaled':
        if (rows.some((row) => row.journaled === true)) this.#hit('journaled as it was accepted');
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
