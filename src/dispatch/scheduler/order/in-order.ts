import type { QueueRow } from '../scheduler-types.ts';

/** Returns the rows in the order of their seqs; the same array if they are in it. */
export function inOrder(rows: readonly QueueRow[]): readonly QueueRow[] {
  const isSorted = rows.every((row, index) => index === 0 || (rows[index - 1]?.seq ?? 0) <= row.seq);
  return isSorted ? rows : rows.toSorted((a, b) => a.seq - b.seq);
}
