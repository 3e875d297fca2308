import type { SchedulerState } from '../scheduler-state.ts';
import type { QueueRow, ReadRequest } from '../scheduler-types.ts';
import type { NumberQueue } from './number-queue.ts';
import { failRead, mergeRead, type ReadWanted, requestOf, takeRead } from './number-reads.ts';

interface RunningRead {
  readonly queue: NumberQueue;
  readonly read: ReadWanted;
  readonly token: number;
}

/** Decides which number reads next, and tracks the reads that are running. */
export class ReadTurns {
  readonly #state: SchedulerState;
  /** Numbers that want reads and were not stopped when they were noted, in order of their turns. */
  readonly #readers = new Set<NumberQueue>();
  readonly #running = new Map<number, RunningRead>();
  #nextId = 1;

  constructor(state: SchedulerState) {
    this.#state = state;
  }

  /** Gives a number that is not stopped a turn if it wants one. */
  note(queue: NumberQueue): void {
    if (queue.wanted.size > 0) this.#readers.add(queue);
  }

  leave(queue: NumberQueue): void {
    this.#readers.delete(queue);
  }

  /**
   * Starts at most `max` reads, one per number and turn. `refresh` is called for every number after its turn, and notes it again. A stopped
   * number loses its turn: it is noted again when it may continue.
   */
  take(nowMs: number, max: number, refresh: (queue: NumberQueue) => void): ReadRequest[] {
    const requests: ReadRequest[] = [];
    for (const queue of this.#readers) {
      if (requests.length >= max) break;
      this.#readers.delete(queue);
      if (queue.allowance.isStopped(nowMs)) continue;
      const read = takeRead(queue, nowMs);
      if (read !== null) {
        const id = this.#nextId++;
        this.#running.set(id, { queue, read, token: this.#state.finished.begin() });
        requests.push(requestOf(id, queue.numberId, read));
      }
      refresh(queue);
    }
    return requests;
  }

  /** Ends a running read with the rows it found, or null if it failed. Returns its number, unless it is closed. */
  end(nowMs: number, requestId: number, rows: readonly QueueRow[] | null): NumberQueue | null {
    const running = this.#running.get(requestId);
    if (running === undefined) return null;
    this.#running.delete(requestId);
    const { queue, read, token } = running;
    if (!queue.isClosed) {
      if (rows === null) failRead(queue, read, nowMs);
      else mergeRead(queue, read, rows, nowMs);
    }
    this.#state.finished.end(token);
    return queue.isClosed ? null : queue;
  }
}
