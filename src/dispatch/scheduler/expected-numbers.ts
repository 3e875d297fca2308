import type { FinishedSeqs } from './finished-seqs.ts';
import type { QueueRow } from './scheduler-types.ts';

/** Rows offered for a number that is being read for opening: their lowest seq by flow. The opening must not pass it. */
interface Expectation {
  readonly token: number;
  readonly lowestSeqs: Map<number, number>;
}

/** The numbers whose rows are being read before they are opened. */
export class ExpectedNumbers {
  readonly #finished: FinishedSeqs;
  readonly #expectations = new Map<number, Expectation>();

  constructor(finished: FinishedSeqs) {
    this.#finished = finished;
  }

  /** Notes rows offered for this number from now on. Does nothing if they are noted already. */
  begin(numberId: number): void {
    if (this.#expectations.has(numberId)) return;
    this.#expectations.set(numberId, { token: this.#finished.begin(), lowestSeqs: new Map() });
  }

  /** Notes an offered row; returns false if its number is not expected. */
  note(row: QueueRow): boolean {
    const expectation = this.#expectations.get(row.numberId);
    if (expectation === undefined) return false;
    const lowest = expectation.lowestSeqs.get(row.flowId) ?? row.seq;
    expectation.lowestSeqs.set(row.flowId, Math.min(lowest, row.seq));
    return true;
  }

  /** Returns the lowest noted seq of each flow of the number. */
  lowestSeqsOf(numberId: number): ReadonlyMap<number, number> {
    return this.#expectations.get(numberId)?.lowestSeqs ?? new Map();
  }

  end(numberId: number): void {
    const expectation = this.#expectations.get(numberId);
    if (expectation === undefined) return;
    this.#expectations.delete(numberId);
    this.#finished.end(expectation.token);
  }
}
