import type { Verdict } from '../attempt/attempt-verdict.ts';
import { type Health, hasBeenDown } from '../attempt/circuit-breaker.ts';
import type { Signer } from '../attempt/webhook-request.ts';
import type { Endpoint } from '../endpoint.ts';
import type { FreshRow, QueueRow } from '../queue/queue-queries.ts';
import { ConversationOrder } from './conversation-order.ts';
import { EndpointPace } from './endpoint-pace.ts';
import type { Entry } from './entry.ts';
import type { Read, ReadResult } from './queue-read.ts';
import type { WindowContents } from './window-room.ts';

const WINDOW = { min: 32, max: 256, perConcurrency: 8, probing: 8 };
/** How many rows of a conversation are read at a time. */
export const CONVERSATION_ROWS = 8;

/**
 * The part of one endpoint's queue that is in memory: pure state, told of time and results. Times are monotonic milliseconds
 * unless they say otherwise.
 *
 * The table is the queue. In memory is a window on it, filled in two ways: whoever queues rows offers them, which is taken
 * while the window has room and nothing before them is missing (`#complete`); otherwise they are read, from `#cursorSeq` on.
 * How many the window takes depends on how fast the endpoint is, and on the memory that is left for all windows.
 * Only reads move that cursor: others may have queued rows in between that nobody offered. Retries are not kept in memory:
 * only the time the next of them falls due is, and then they are read. One read runs at a time; a row settled while it runs
 * may be in its result, so the numbers of those are remembered until it ends. While an endpoint is disabled or only probed,
 * next to nothing is kept: what an unload drops is read again from the start. Nor is it kept which conversations wait behind a
 * retry: reads tell, and while there are retries rows that begin a conversation are read, not taken as they are offered.
 */
export class EndpointQueue {
  readonly #pace: EndpointPace;
  readonly #order = new ConversationOrder();
  #endpoint: Endpoint;
  #signer: Signer;
  #window: Entry[] = [];
  #lastWasRetry = false;
  /** In the window, chained behind it, or under way. */
  readonly #known: WindowContents;
  /** Under way, or answered and not yet recorded. */
  readonly #unsettled = new Map<number, Entry>();
  /** Attempts under way. */
  #running = 0;
  #cursorSeq = 0;
  #complete = false;
  /** Rows came that were not taken, since the last read began. */
  #missed = false;
  /** When the next of the retries that are not in memory falls due, if there are any. */
  #nextDueMs = Number.NEGATIVE_INFINITY;
  #filling = 0;
  #closed = false;
  #settledWhileReading: Set<number> | undefined;

  /** `contents` is empty and holds nothing for others. */
  constructor(endpoint: Endpoint, signer: Signer, contents: WindowContents, random: () => number) {
    this.#endpoint = endpoint;
    this.#signer = signer;
    this.#known = contents;
    this.#pace = new EndpointPace(endpoint, random);
  }

  get endpoint(): Endpoint {
    return this.#endpoint;
  }

  get signer(): Signer {
    return this.#signer;
  }

  /** Nothing is under way or waiting to be recorded. */
  get isIdle(): boolean {
    return this.#unsettled.size === 0;
  }

  get health(): Health {
    return this.#pace.health;
  }

  /** The owner changed something, or it was disabled or enabled. Enabled or at another address, what it did before counts no more. */
  change(endpoint: Endpoint, signer: Signer): void {
    const wasDisabled = this.#endpoint.disabled !== null;
    const hasMoved = endpoint.url !== this.#endpoint.url;
    const isNewer = endpoint.updatedAtMs > this.#endpoint.updatedAtMs;
    const countsAnew = isNewer && (endpoint.failuresInRow === 0 || this.#pace.isGone);
    this.#endpoint = endpoint;
    this.#signer = signer;
    this.#pace.setRate(endpoint.ratePerSecond);
    if (endpoint.disabled === null && (wasDisabled || hasMoved || countsAnew)) this.#pace.restart();
    if (endpoint.disabled !== null) this.#unload();
  }

  /** Rows were queued that nobody offered, or retries fall due sooner. */
  news(): void {
    this.#missed = true;
    this.#complete = false;
    this.#nextDueMs = Number.NEGATIVE_INFINITY;
  }

  /** Rows were settled or put off by another who had worked this queue. */
  lookAnew(): void {
    this.#unload();
  }

  /** Rows just queued, in their order. */
  offer(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.row.seq <= this.#cursorSeq || this.#known.has(entry.row.seq)) continue;
      const isTaken =
        this.#complete && this.#settledWhileReading === undefined && this.#window.length < this.#windowMax;
      if (!isTaken || this.#mayBeBlocked(entry.row) || !this.#admit(entry)) {
        this.#missed = true;
        this.#complete = false;
        return;
      }
    }
  }

  /** What has to be read now, if anything; the read has begun then and must be ended or abandoned. */
  beginRead(nowMs: number): Read | undefined {
    if (this.#settledWhileReading !== undefined || this.#endpoint.disabled !== null || this.#closed) return undefined;
    if (nowMs < this.#pace.notBeforeMs || !this.#known.takesMore) return undefined;
    const hasRoom = this.#window.length <= this.#windowMax / 2 && !this.#hasProbe;
    const fresh = hasRoom && !this.#complete ? { afterSeq: this.#cursorSeq } : undefined;
    const retries = hasRoom && nowMs >= this.#nextDueMs;
    if (fresh === undefined && !retries && this.#order.wanted.size === 0) return undefined;
    this.#settledWhileReading = new Set();
    this.#missed = false;
    // What falls due or is told while the read runs may be missing from its result.
    if (retries) this.#nextDueMs = Number.POSITIVE_INFINITY;
    const conversations = this.#order.beginRead();
    // So many that some of them are new.
    const rowsMax = this.#windowMax + this.#unsettled.size;
    return { fresh, retries, conversations, rowsMax, filling: this.#filling };
  }

  /** Whether a row read is in memory already, or was settled meanwhile. */
  knows(seq: number): boolean {
    return this.#known.has(seq) || this.#settledWhileReading?.has(seq) === true;
  }

  /** Takes in what was read; adding `toMonotonicMs` makes a row's due time monotonic. */
  endRead(read: Read, result: ReadResult, nowMs: number, toMonotonicMs: number): void {
    if (read.filling === this.#filling) {
      this.#takeConversations(read, result);
      if (read.retries) this.#takeRetries(read, result, nowMs, toMonotonicMs);
      if (read.fresh !== undefined) this.#takeFresh(read, result);
    }
    this.#settledWhileReading = undefined;
  }

  /** The read failed and is to be repeated. */
  abandonRead(read: Read): void {
    if (read.filling === this.#filling) this.#order.abandonRead(read.conversations);
    if (read.retries) this.#nextDueMs = Number.NEGATIVE_INFINITY;
    this.#settledWhileReading = undefined;
  }

  #takeConversations(read: Read, result: ReadResult): void {
    for (const conversation of read.conversations) {
      const rows = result.conversations.get(conversation) ?? [];
      const entries: Entry[] = [];
      const passed = this.#pass(rows, result, (entry) => {
        const isTaken = this.#known.add(entry.row.seq, entry.event);
        if (isTaken) entries.push(entry);
        return isTaken;
      });
      const next = this.#order.endRead(
        conversation,
        entries,
        passed < rows.length || rows.length === CONVERSATION_ROWS,
      );
      if (next !== undefined) this.#window.push(next);
    }
  }

  #takeRetries(read: Read, result: ReadResult, nowMs: number, toMonotonicMs: number): void {
    for (const row of result.retries) {
      const dueMs = (row.dueAtMs ?? 0) + toMonotonicMs;
      if (dueMs > nowMs) {
        this.#nextDueMs = Math.min(this.#nextDueMs, dueMs);
        return;
      }
      if (this.knows(row.seq)) continue;
      const event = result.events.get(row.seq);
      if (event === undefined || !this.#known.add(row.seq, event)) {
        // There is no space for it, or it has become due since its event would have been read.
        this.#nextDueMs = Math.min(this.#nextDueMs, dueMs);
        continue;
      }
      if (row.conversation !== null) this.#order.block(row.conversation);
      this.#window.push({ row, event });
    }
    // All were due, so more may be.
    if (result.retries.length === read.rowsMax) this.#nextDueMs = Math.min(this.#nextDueMs, nowMs);
  }

  #takeFresh(read: Read, { fresh, ...result }: ReadResult): void {
    const passed = this.#pass(fresh, result, (entry) => this.#admit(entry));
    this.#cursorSeq = Math.max(this.#cursorSeq, fresh[passed - 1]?.seq ?? 0);
    const isAll = passed === fresh.length && fresh.length < read.rowsMax && fresh.at(-1)?.isCut !== true;
    this.#complete = isAll && !this.#missed;
  }

  /** Goes through rows in their order, past blocked ones, until one has to be left to the next read; answers how many those before it are. */
  #pass(
    rows: readonly (QueueRow & Partial<FreshRow>)[],
    { events, unread }: Pick<ReadResult, 'events' | 'unread'>,
    take: (entry: Entry) => boolean,
  ): number {
    const left = rows.findIndex((row) => {
      if (row.isBlocked || this.knows(row.seq)) return false;
      const event = events.get(row.seq);
      return event === undefined ? unread.has(row.seq) : !take({ row, event });
    });
    return left === -1 ? rows.length : left;
  }

  /** A delivery that was being retried is no more: its event does not exist any longer. */
  expired({ conversation }: QueueRow): void {
    if (conversation !== null) this.#order.skip(conversation);
  }

  /** The next delivery to attempt now, with at most `runningMax` of them under way. */
  take(nowMs: number, runningMax: number): Entry | undefined {
    if (this.#endpoint.disabled !== null || nowMs < this.#pace.readyAtMs) return undefined;
    if (this.#running >= Math.min(this.#pace.concurrency, runningMax)) return undefined;
    const entry = this.#shiftWindow();
    if (entry === undefined) return undefined;
    this.#running += 1;
    this.#unsettled.set(entry.row.seq, entry);
    this.#pace.started(nowMs);
    return entry;
  }

  /**
   * What goes next: in turn what has failed before and what has not, and only the latter to find out whether the endpoint has
   * recovered, if there is any. One that refuses some deliveries gets the others all the same.
   */
  #shiftWindow(): Entry | undefined {
    const isRetrysTurn = !this.#lastWasRetry && !this.#pace.isOpen;
    const index = this.#window.findIndex(({ row }) => row.attempts > 0 === isRetrysTurn);
    const [entry] = this.#window.splice(Math.max(0, index), 1);
    if (entry !== undefined) this.#lastWasRetry = entry.row.attempts > 0;
    return entry;
  }

  /** When `take` or `beginRead` may answer something though nothing happens until then; undefined when only news or an answer help. */
  wakeAtMs(): number | undefined {
    if (this.#endpoint.disabled !== null || this.#settledWhileReading !== undefined) return undefined;
    if (this.#window.length > 0) return this.#running < this.#pace.concurrency ? this.#pace.readyAtMs : undefined;
    if (!this.#complete || this.#order.wanted.size > 0) return this.#pace.notBeforeMs;
    return this.#nextDueMs === Number.POSITIVE_INFINITY ? undefined : Math.max(this.#pace.notBeforeMs, this.#nextDueMs);
  }

  /** An attempt has ended. Answers whether the endpoint has recovered: it was down and has taken one. */
  answered(verdict: Verdict, nowMs: number, wallMs: number): { recovered: boolean } {
    this.#running -= 1;
    const wasDown = hasBeenDown(this.#pace.health, wallMs);
    this.#pace.answered(verdict, nowMs, wallMs);
    if (this.#pace.isOpen) this.#unload();
    return { recovered: wasDown && !this.#pace.isOpen };
  }

  /** The attempt's result is durable. `dueMs` is when the next one falls due. */
  recorded(entry: Entry, verdict: Verdict, dueMs: number): void {
    const { seq, conversation } = entry.row;
    this.#unsettled.delete(seq);
    this.#known.delete(seq);
    this.#settledWhileReading?.add(seq);
    const isOver = verdict.kind === 'delivered' || verdict.kind === 'exhausted';
    if (!isOver) this.#nextDueMs = Math.min(this.#nextDueMs, dueMs);
    if (isOver || verdict.kind === 'refused') {
      // A refused delivery has had its turn: it leaves its conversation, and its retries hold up nothing.
      const next = conversation === null ? undefined : this.#order.advance(conversation);
      if (next !== undefined) this.#window.push(next);
      return;
    }
    if (conversation !== null) {
      for (const { row } of this.#order.hold(conversation)) this.#known.delete(row.seq);
    }
    if (verdict.kind === 'void') this.#unload();
  }

  /** It is only probed, and what finds out whether it has recovered is here or under way: whatever else is read its failure drops. */
  get #hasProbe(): boolean {
    return this.#pace.isOpen && (this.#running > 0 || this.#window.some(({ row }) => row.attempts === 0));
  }

  get #windowMax(): number {
    if (this.#pace.isOpen) return WINDOW.probing;
    if (this.#known.isRoomFull) return Math.min(WINDOW.probing, this.#known.ownCount);
    return Math.min(WINDOW.max, Math.max(WINDOW.min, this.#pace.concurrency * WINDOW.perConcurrency));
  }

  /** It may stand behind a retry that is not in memory. */
  #mayBeBlocked({ conversation }: QueueRow): boolean {
    return conversation !== null && this.#nextDueMs !== Number.POSITIVE_INFINITY && !this.#order.has(conversation);
  }

  /** Takes in the next delivery, or leaves it to its conversation's turn; false when there is no space for it. */
  #admit(entry: Entry): boolean {
    const { seq, conversation } = entry.row;
    if (!this.#known.add(seq, entry.event)) return false;
    const fate = conversation === null ? 'goes' : this.#order.admit(conversation, entry);
    if (fate === 'goes') this.#window.push(entry);
    else if (fate === 'stays') this.#known.delete(seq);
    return true;
  }

  /** Begins nothing more, and holds only what is under way. */
  close(): void {
    this.#closed = true;
    this.#unload();
    this.#known.close();
  }

  /** Lets go of everything that is not under way; it is read again when its time comes. */
  #unload(): void {
    this.#window = [];
    this.#known.retain(this.#unsettled);
    this.#order.reset([...this.#unsettled.values()].flatMap(({ row }) => row.conversation ?? []));
    this.#cursorSeq = 0;
    this.#complete = false;
    this.#nextDueMs = Number.NEGATIVE_INFINITY;
    this.#filling += 1;
  }
}
