import type { Coverage, Site } from './coverage.ts';
import type { EventLoop } from './event-loop.ts';
import type { Written } from './platform.ts';
import { readEnvelope } from './sender.ts';
import type { ModelStore } from './store/model-store.ts';
import type { MessageRow, QueueRow } from './store/tables.ts';
import type { Trace } from './trace.ts';

/** Something that must not be. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

const FAILED = 4;
const READ = 3;

/** Watches every commit and every byte that goes out, and ends the run at the first that should not have been. */
export class Witness {
  readonly #resends = new Map<string, number[]>();
  readonly #loop: EventLoop;
  readonly #store: ModelStore;
  readonly #coverage: Coverage;
  readonly #trace: Trace;
  readonly #labels = new Map<string, string>();
  readonly #cancelled = new Set<string>();
  /** By id: messages of which a journal has read that they are cancelled. */
  readonly #toldCancelled = new Set<string>();
  /** By node: numbers that are known there to send nothing. */
  readonly #knownStopped = new Map<string, Set<number>>();

  constructor(loop: EventLoop, store: ModelStore, coverage: Coverage, trace: Trace) {
    this.#loop = loop;
    this.#store = store;
    this.#coverage = coverage;
    this.#trace = trace;
    watchWrites(store.tables.messages, (old, row) => this.#messageWritten(old, row));
    watchWrites(store.tables.queue, (old, row) => this.#queueWritten(old, row));
  }

  /** When a message was let go again because its outcome stayed unknown. */
  resendsOf(messageId: string): number[] {
    return this.#resends.get(messageId) ?? [];
  }

  /** Whose message this is, in the clients' words. */
  labelOf(message: MessageRow): string {
    const known = this.#labels.get(message.id);
    if (known !== undefined) return known;
    const label = message.direction === 0 ? readEnvelope(message.body).label : 'inbound';
    this.#labels.set(message.id, label);
    return label;
  }

  /** From now on it holds on this node that the number sends nothing. */
  stopInForce(nodeId: string, numberId: number): void {
    this.#knownStopped.set(nodeId, (this.#knownStopped.get(nodeId) ?? new Set()).add(numberId));
  }

  /** The number may send again, from any node. */
  stopEnds(numberId: number): void {
    for (const numbers of this.#knownStopped.values()) numbers.delete(numberId);
  }

  /** A request may go out only for a message that is queued, named by a committed journal row of the sending node, and held by nobody. */
  requestWritten({ label }: Written, nodeId: string): void {
    const { tables } = this.#store;
    const messages = [...tables.messages.values()].filter((message) => this.labelOf(message) === label);
    const ids = new Set(messages.map((message) => message.id));
    const queued = [...tables.queue.values()].find((row) => ids.has(row.messageId));
    if (queued === undefined || messages.some((message) => message.status !== 0)) {
      this.#fail(`a request went out for ${label}, which is not queued any more`);
      return;
    }
    if (this.#toldCancelled.has(queued.messageId))
      this.#fail(`a request went out for ${label}, which was known to be cancelled`);
    if (this.#knownStopped.get(nodeId)?.has(queued.numberId))
      this.#fail(`a request went out for ${label}, whose number was paused or disconnected`);
    const isJournaled = [...tables.journal.values()].some(
      ({ owner, messages: named }) => owner === nodeId && named.some(({ seq }) => seq === queued.seq),
    );
    if (!isJournaled) this.#fail(`a request went out for ${label} without a journal row of its sender`);
  }

  /** Counts what a statement that was executed says about rare paths. */
  statementExecuted(name: string, values: readonly unknown[], rows: readonly Record<string, unknown>[]): void {
    const { tables } = this.#store;
    const [first] = rows;
    switch (name) {
      case 'dispatch_journal_write':
        if (first?.leases !== (values[2] as unknown[]).length) this.#hit('fence refused');
        for (const row of rows) if (row.cancelled === true) this.#toldCancelled.add(row.message_id as string);
        break;
      case 'shard_lease_take':
        if (rows.some((row) => row.epoch !== 1)) this.#hit('shards taken over');
        break;
      case 'dispatch_hold_journaled': {
        const shards = new Set(values[0] as number[]);
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
    if (old.status === 0 && row.errorCode === 'UNKNOWN_OUTCOME') this.#hit('outcome failed as unknown');
    if (old.status === 0 && row.errorCode === 'EXPIRED') this.#hit('message expired');
    if (old.status === 0 && row.errorCode === 'CANCELLED') {
      const isReleased = [...this.#store.tables.numbers.values()].some(
        (number) => number.numberId === row.numberId && number.released,
      );
      this.#hit(isReleased ? 'message ended with its account' : 'message cancelled');
    }
    if (old.wamid === null && row.wamid !== null && this.#cancelled.has(row.id)) this.#hit('cancelled too late');
  }

  #queueWritten(old: QueueRow | undefined, row: QueueRow): void {
    if (old === undefined) return;
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

function watchWrites<Key, Value>(map: Map<Key, Value>, watch: (old: Value | undefined, next: Value) => void): void {
  const set = map.set.bind(map);
  map.set = (key, value) => {
    watch(map.get(key), value);
    return set(key, value);
  };
}
