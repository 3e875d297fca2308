/** Which transactions had ended at a moment: a `pg_snapshot`. */
export interface Snapshot {
  /** The lowest transaction id not given out yet. */
  next: bigint;
  /** Those below that were still open, the lowest first. */
  open: bigint[];
}

/** Reads a `pg_snapshot` as text: the lowest id still open, the lowest not given out yet, those that are open. */
export function parseSnapshot(text: string): Snapshot {
  const [, next = '0', open = ''] = text.split(':');
  return { next: BigInt(next), open: open === '' ? [] : open.split(',').map(BigInt) };
}

/** Whether the transaction had not ended yet: what it commits is news since then. */
export function isSince({ next, open }: Snapshot, xid: bigint): boolean {
  return xid >= next || open.includes(xid);
}
