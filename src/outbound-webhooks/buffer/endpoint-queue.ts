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
/** Rows of one conversation per read. */
export const CONVERSATION_ROWS = 8;

/**
 * Holds the in-memory part of one endpoint's queue. It is pure state: the caller passes in times and results. Times are monotonic
 * milliseconds unless stated otherwise.
 * The table is the queue; memory holds a window of it, which is filled in two ways. The writer of new rows offers them; they are taken if
 * the window has space and no earlier row is missing (`#complete`). Otherwise rows are read, from `#cursorSeq` on. The size of the window
 * depends on the endpoint's speed and on the memory left for all windows. Only reads move the cursor, because other nodes may have queued
 * rows in between that were not offered here.
 * Retries are not kept in memory, only the time when the next one falls due; then they are read. One read runs at a time. A row settled
 * during a read may still be in its result, so its number is remembered until the read ends.
 * While an endpoint is disabled or only probed, next to nothing is kept: rows dropped by an unload are read again from the start.
 * Conversations that wait behind a retry are not kept either, because reads find them. So while there are retries, a row that begins a
 * conversation is read, not taken when it is offered.
 */
export class EndpointQueue {
  readonly #pace: EndpointPace;
  readonly #order = new ConversationOrder();
  #endpoint: Endpoint;
  #signer: Signer;
  #window: Entry[] = [];
  #lastWasRetry = false;
  /** Deliveries in the window, chained behind it, or in flight. */
  readonly #known: WindowContents;
  /** Deliveries in flight, or answered and not recorded yet. */
  readonly #unsettled = new Map<number, Entry>();
  /** Number of attempts in flight. */
  #running = 0;
  #cursorSeq = 0;
  #complete = false;
  /** True if rows were queued but not taken since the last read began. */
  #missed = false;
  /** Due time of the next retry that is not in memory; positive infinity if there is none. */
  #nextDueMs = Number.NEGATIVE_INFINITY;
  #filling = 0;
  #closed = false;
  #settledWhileReading: Set<number> | undefined;

  /** Expects empty `contents` that no other queue uses. */
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

  /** True if no attempt is in flight or waits to be recorded. */
  get isIdle(): boolean {
    return this.#unsettled.size === 0;
  }

  get health(): Health {
    return this.#pace.health;
  }

  /** Takes in changed settings. If the endpoint was enabled or moved to another address, its earlier failures no longer count. */
  change(endpoint: Endpoint, signer: Signer): void {
    const wasDisabled = this.#endpoint.disabled !== null;
    const hasMoved = endpoint.url !== this.#endpoint.url;
    const isNewer = endpoint.updatedAtMs > this.#endpoint.updatedAtMs;
    const countsAnew = isNewer && (endpoint.failuresInRow === 0 || this.#pace.isGone);
    this.#endpoint = endpoint;
    this.#signer = signer;
    this.#pace.setRate(endpoint.ratePerSecond);
    if (endpoint.disabled === null && (wasDisabled || hasMoved || countsAnew)) this.#pace.restart();
    if (endpoint.disabled !== null) this.unload();
  }

  /** Notes that rows were queued that were not offered here, or that retries fall due earlier. */
  news(): void {
    this.#missed = true;
    this.#complete = false;
    this.#nextDueMs = Number.NEGATIVE_INFINITY;
  }

  /** Takes rows that were just queued, in their order, as far as there is space. */
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

  /** Returns the rows to read now, if any. The read has then begun and must be ended or abandoned. */
  beginRead(nowMs: number): Read | undefined {
    if (this.#settledWhileReading !== undefined || this.#endpoint.disabled !== null || this.#closed) return undefined;
    if (nowMs < this.#pace.notBeforeMs || !this.#known.takesMore) return undefined;
    const hasRoom = this.#window.length <= this.#windowMax / 2 && !this.#hasProbe;
    const fresh = hasRoom && !this.#complete ? { afterSeq: this.#cursorSeq } : undefined;
    const retries = hasRoom && nowMs >= this.#nextDueMs;
    if (fresh === undefined && !retries && this.#order.wanted.size === 0) return undefined;
    this.#settledWhileReading = new Set();
    this.#missed = false;
    // Reset before the read: a retry that falls due or is announced during it may be missing from the result, and sets the time again.
    if (retries) this.#nextDueMs = Number.POSITIVE_INFINITY;
    const conversations = this.#order.beginRead();
    // More rows than are in memory, so that some of them are new.
    const rowsMax = this.#windowMax + this.#unsettled.size;
    return { fresh, retries, conversations, rowsMax, filling: this.#filling };
  }

  /** Returns true if a row that was read is already in memory, or was settled during the read. */
  knows(seq: number): boolean {
    return this.#known.has(seq) || this.#settledWhileReading?.has(seq) === true;
  }

  /** Takes in the result of a read. Adding `toMonotonicMs` makes a row's due time monotonic. */
  endRead(read: Read, result: ReadResult, nowMs: number, toMonotonicMs: number): void {
    if (read.filling === this.#filling) {
      this.#takeConversations(read, result);
      if (read.retries) this.#takeRetries(read, result, nowMs, toMonotonicMs);
      if (read.fresh !== undefined) this.#takeFresh(read, result);
    }
    this.#settledWhileReading = undefined;
  }

  /** Ends a failed read, so that it is repeated. */
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
        // Memory has no space for it, or it fell due after the due rows were selected for reading their events.
        this.#nextDueMs = Math.min(this.#nextDueMs, dueMs);
        continue;
      }
      if (row.conversation !== null) this.#order.block(row.conversation);
      this.#window.push({ row, event });
    }
    // All rows were due, so more may follow.
    if (result.retries.length === read.rowsMax) this.#nextDueMs = Math.min(this.#nextDueMs, nowMs);
  }

  #takeFresh(read: Read, { fresh, ...result }: ReadResult): void {
    const passed = this.#pass(fresh, result, (entry) => this.#admit(entry));
    this.#cursorSeq = Math.max(this.#cursorSeq, fresh[passed - 1]?.seq ?? 0);
    const isAll = passed === fresh.length && fresh.length < read.rowsMax && fresh.at(-1)?.isCut !== true;
    this.#complete = isAll && !this.#missed;
  }

  /**
   * Passes rows to `take` in their order, without blocked ones, until one must wait for the next read. Returns the number of rows before
   * that one.
   */
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

  /** Ends a delivery that was being retried and whose event no longer exists. */
  expired({ conversation }: QueueRow): void {
    if (conversation !== null) this.#order.skip(conversation);
  }

  /** Returns the next delivery to attempt now, if fewer than `runningMax` are in flight. */
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
   * Removes the next delivery from the window. Retries and fresh deliveries alternate, so an endpoint that fails some deliveries still
   * gets the others. A probe of a failing endpoint uses a fresh delivery, if there is one.
   */
  #shiftWindow(): Entry | undefined {
    const isRetrysTurn = !this.#lastWasRetry && !this.#pace.isOpen;
    const index = this.#window.findIndex(({ row }) => row.attempts > 0 === isRetrysTurn);
    const [entry] = this.#window.splice(Math.max(0, index), 1);
    if (entry !== undefined) this.#lastWasRetry = entry.row.attempts > 0;
    return entry;
  }

  /**
   * Returns the time when `take` or `beginRead` may return something if nothing else happens; undefined if only new rows or an answer
   * help.
   */
  wakeAtMs(): number | undefined {
    if (this.#endpoint.disabled !== null || this.#settledWhileReading !== undefined) return undefined;
    if (this.#window.length > 0) return this.#running < this.#pace.concurrency ? this.#pace.readyAtMs : undefined;
    if (!this.#complete || this.#order.wanted.size > 0) return this.#pace.notBeforeMs;
    return this.#nextDueMs === Number.POSITIVE_INFINITY ? undefined : Math.max(this.#pace.notBeforeMs, this.#nextDueMs);
  }

  /** Counts an attempt that ended. `recovered` is true if the endpoint had been down and this attempt shows that it is alive. */
  answered(verdict: Verdict, nowMs: number, wallMs: number): { recovered: boolean } {
    this.#running -= 1;
    const wasDown = hasBeenDown(this.#pace.health, wallMs);
    this.#pace.answered(verdict, nowMs, wallMs);
    if (this.#pace.isOpen) this.unload();
    return { recovered: wasDown && !this.#pace.isOpen };
  }

  /** Notes that the attempt's result is durable. `dueMs` is the due time of the next attempt. */
  recorded(entry: Entry, verdict: Verdict, dueMs: number): void {
    const { seq, conversation } = entry.row;
    this.#unsettled.delete(seq);
    this.#known.delete(seq);
    this.#settledWhileReading?.add(seq);
    const isOver = verdict.kind === 'delivered' || verdict.kind === 'exhausted';
    if (!isOver) this.#nextDueMs = Math.min(this.#nextDueMs, dueMs);
    if (isOver || verdict.kind === 'refused') {
      // A refused delivery has had its turn: it leaves its conversation, and its retries block nothing.
      const next = conversation === null ? undefined : this.#order.advance(conversation);
      if (next !== undefined) this.#window.push(next);
      return;
    }
    if (conversation !== null) {
      for (const { row } of this.#order.hold(conversation)) this.#known.delete(row.seq);
    }
    if (verdict.kind === 'void') this.unload();
  }

  /**
   * True while the endpoint is only probed and a delivery for the probe is in memory or in flight. A failed probe would drop all other
   * rows that were read.
   */
  get #hasProbe(): boolean {
    return this.#pace.isOpen && (this.#running > 0 || this.#window.some(({ row }) => row.attempts === 0));
  }

  get #windowMax(): number {
    if (this.#pace.isOpen) return WINDOW.probing;
    if (this.#known.isRoomFull) return Math.min(WINDOW.probing, this.#known.ownCount);
    return Math.min(WINDOW.max, Math.max(WINDOW.min, this.#pace.concurrency * WINDOW.perConcurrency));
  }

  /** Returns true if the row may be behind a retry that is not in memory. */
  #mayBeBlocked({ conversation }: QueueRow): boolean {
    return conversation !== null && this.#nextDueMs !== Number.POSITIVE_INFINITY && !this.#order.has(conversation);
  }

  /** Takes in the next delivery, or leaves it to its conversation's turn. Returns false if memory has no space for it. */
  #admit(entry: Entry): boolean {
    const { seq, conversation } = entry.row;
    if (!this.#known.add(seq, entry.event)) return false;
    const fate = conversation === null ? 'goes' : this.#order.admit(conversation, entry);
    if (fate === 'goes') this.#window.push(entry);
    else if (fate === 'stays') this.#known.delete(seq);
    return true;
  }

  /** Starts nothing more, and keeps only deliveries in flight. */
  close(): void {
    this.#closed = true;
    this.unload();
    this.#known.close();
  }

  /**
   * Drops every delivery that is not in flight; they are read again later. Called if another node that had worked this queue settled or
   * postponed rows.
   */
  unload(): void {
    this.#window = [];
    this.#known.retain(this.#unsettled);
    this.#order.reset([...this.#unsettled.values()].flatMap(({ row }) => row.conversation ?? []));
    this.#cursorSeq = 0;
    this.#complete = false;
    this.#nextDueMs = Number.NEGATIVE_INFINITY;
    this.#filling += 1;
  }
}
