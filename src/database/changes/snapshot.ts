/** The state of all transactions at a moment, as in a `pg_snapshot`. */
export interface Snapshot {
  /** The lowest transaction id not given out yet. */
  next: bigint;
  /** Transaction ids below `next` that were still open, lowest first. */
  open: bigint[];
}

/** Parses the text of a `pg_snapshot`: the lowest open id, the lowest id not given out yet, and the open ids. */
export function parseSnapshot(text: string): Snapshot {
  const [, next = '0', open = ''] = text.split(':');
  return { next: BigInt(next), open: open === '' ? [] : open.split(',').map(BigInt) };
}

/** True if the transaction had not ended at the snapshot, so its commit is a change since then. */
export function isSince({ next, open }: Snapshot, xid: bigint): boolean {
  return xid >= next || open.includes(xid);
}
