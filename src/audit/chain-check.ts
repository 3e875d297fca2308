import { type ChainRow, digestOf, FIRST_DIGEST, type RowHead } from './entry.ts';

/** A place in a chain: the sequence of a row, and its digest. */
export interface ChainPlace {
  sequence: number;
  digest: Buffer;
}

/** The place before the first row of a chain. */
export const CHAIN_START: ChainPlace = { sequence: 0, digest: FIRST_DIGEST };

/** The first row of a chain that contradicts the others. */
export interface ChainProblem {
  sequence: number;
  reason: string;
}

/** Checks the rows of one chain, in order: each row's digest must follow from its facts and the digest before. */
export class ChainCheck {
  #last: ChainPlace;
  #problem: ChainProblem | undefined;
  #anchorFound = false;
  readonly #start: ChainPlace;
  readonly #anchor: ChainPlace | undefined;

  /**
   * @param start the place before the first kept row, as the last checkpoint states it
   * @param anchor a place noted earlier, which the chain must contain unless its age has passed
   */
  constructor(start: ChainPlace, anchor: ChainPlace | undefined) {
    this.#start = start;
    this.#last = start;
    this.#anchor = anchor;
    if (anchor?.sequence === start.sequence) this.#meetAnchor(start);
  }

  /** The place of the last row that was found right. */
  get last(): ChainPlace {
    return this.#last;
  }

  /** Checks the next rows. Returns false once a row is wrong. */
  add(rows: readonly ChainRow[]): boolean {
    for (const row of rows) {
      const reason = this.#reasonAgainst(row);
      if (reason !== undefined) this.#problem = { sequence: row.sequence, reason };
      else this.#last = { sequence: row.sequence, digest: row.digest };
      if (this.#problem === undefined && row.sequence === this.#anchor?.sequence) this.#meetAnchor(row);
      if (this.#problem !== undefined) return false;
    }
    return true;
  }

  /** Returns the problem of the whole chain, given the place that is stored as its end; undefined if it is intact. */
  end(stored: ChainPlace): ChainProblem | undefined {
    if (this.#problem !== undefined) return this.#problem;
    const { sequence, digest } = this.#last;
    if (sequence !== stored.sequence || !digest.equals(stored.digest)) {
      return { sequence: sequence + 1, reason: 'Rows at the end are missing.' };
    }
    const anchor = this.#anchor;
    const isDue = anchor !== undefined && anchor.sequence > this.#start.sequence;
    return isDue && !this.#anchorFound
      ? { sequence: anchor.sequence, reason: 'The chain ends before the row that was noted earlier.' }
      : undefined;
  }

  #meetAnchor({ sequence, digest }: ChainPlace): void {
    this.#anchorFound = true;
    if (this.#anchor?.digest.equals(digest) === false) {
      this.#problem = { sequence, reason: 'The digest differs from the one noted earlier.' };
    }
  }

  #reasonAgainst(row: ChainRow): string | undefined {
    const next = this.#last.sequence + 1;
    if (row.sequence !== next) return `Row ${next} is missing.`;
    if (!digestOf(this.#last.digest, next, row.facts).equals(row.digest)) {
      return 'The row was changed: its digest does not follow from its facts and the row before.';
    }
    const head = readHead(row.facts);
    const agrees =
      head?.id === row.id &&
      head.at === row.at.toISOString() &&
      head.kind === row.kind &&
      head.of_sequence === row.ofSequence;
    return agrees ? undefined : 'A column of the row differs from its facts.';
  }
}

/** Returns undefined for facts that are no JSON, which no row is written with. */
function readHead(facts: string): RowHead | undefined {
  try {
    return JSON.parse(facts) as RowHead;
  } catch {
    return undefined;
  }
}
