import type { QueueRow, ReadRequest } from '../../../src/dispatch/scheduler/index.ts';

interface StoredRow {
  row: QueueRow;
  committed: boolean;
}

/** The durable queue table as a set of rows that become visible when they commit. */
export class ModelDatabase {
  readonly #rows = new Map<number, StoredRow>();
  #nextSeq = 1;

  /** Inserts a row with the next seq; it is invisible until `commit`. */
  insert(row: Omit<QueueRow, 'seq' | 'messageId'>): QueueRow {
    const seq = this.#nextSeq++;
    const inserted = { ...row, seq, messageId: `m${seq}` };
    this.#rows.set(seq, { row: inserted, committed: false });
    return inserted;
  }

  commit(seq: number): void {
    const stored = this.#rows.get(seq);
    if (stored !== undefined) stored.committed = true;
  }

  update(seq: number, change: Partial<Pick<QueueRow, 'attempt' | 'dueAtMs'>>): void {
    const stored = this.#rows.get(seq);
    if (stored !== undefined) stored.row = { ...stored.row, ...change };
  }

  delete(seq: number): void {
    this.#rows.delete(seq);
  }

  has(seq: number): boolean {
    return this.#rows.has(seq);
  }

  /** Returns the visible rows that satisfy `condition`, by seq. */
  select(condition: (row: QueueRow) => boolean): QueueRow[] {
    const rows: QueueRow[] = [];
    for (const { row, committed } of this.#rows.values()) if (committed && condition(row)) rows.push(row);
    return rows.sort((a, b) => a.seq - b.seq);
  }

  /** Returns the rows that a read request asks for, from a snapshot taken now. */
  read(request: ReadRequest): QueueRow[] {
    const rows = this.select(
      (row) =>
        row.numberId === request.numberId &&
        row.seq > request.afterSeq &&
        (request.kind === 'flow' ? row.flowId === request.flowId : row.contact === request.contact),
    );
    return rows.slice(0, request.limit);
  }

  /** Returns the first rows of every flow of a number. */
  heads(numberId: number, rowsMax: number): { flowId: number; rows: QueueRow[]; more: boolean }[] {
    const flows = Map.groupBy(
      this.select((row) => row.numberId === numberId),
      (row) => row.flowId,
    );
    return [...flows].map(([flowId, rows]) => ({ flowId, rows: rows.slice(0, rowsMax), more: rows.length > rowsMax }));
  }
}
