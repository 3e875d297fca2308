import { byText, number, text } from '../columns.ts';
import type { Row, Session, StatementModel } from '../model-store.ts';
import type { LeaseRow } from '../tables.ts';

const HOUR_MS = 60 * 60 * 1000;

/** The lock that a statement takes if it depends on a lease. */
const leaseLock = (shard: number) => `lease/${shard}`;

/**
 * Locks those of the named leases that the owner holds under the given epochs. Returns their number. Without `mayWait`, leaves out those that
 * another session has locked.
 */
export function* lockHeldLeases(
  session: Session,
  owner: string,
  named: readonly { shard: unknown; epoch: unknown }[],
  mayWait: boolean,
): Generator<readonly string[], number, void> {
  const { tables, nowMs, store } = session;
  const isFree = (shard: number) => mayWait || !store.locks.isHeldByOther(leaseLock(shard), session);
  const listHeld = () =>
    named.filter(({ shard, epoch }) => {
      const lease = tables.leases.get(number(shard));
      return lease?.epoch === epoch && lease?.owner === owner && lease.expiresAtMs > nowMs && isFree(number(shard));
    });
  yield listHeld()
    .map(({ shard }) => number(shard))
    .toSorted((a, b) => a - b)
    .map(leaseLock);
  return listHeld().length;
}

const termKey = (owner: string, work: string) => `${owner}/${work}`;
const termLock = (term: string) => `term/${term}`;

const beat: StatementModel = function* beat(session, values) {
  const { tables, nowMs } = session;
  const id = text(values[0]);
  const [dispatches, delivers, leaseMs] = [values[3] === true, values[4] === true, number(values[5])];
  const others = [...tables.nodes]
    .filter(([node, { seenAtMs }]) => node !== id && seenAtMs > nowMs - leaseMs)
    .map(([node, row]) => ({ id: node, dispatches: row.dispatches, delivers: row.delivers }));
  const [firstShards, shardCounts] = [values[7] as number[], values[8] as number[]];
  const terms = (values[6] as string[]).map((work, index) => {
    const firstShard = number(firstShards[index]);
    return readTerm(session, id, work, [firstShard, firstShard + number(shardCounts[index])]);
  });
  yield [`node/${id}`];
  session.write(() => {
    tables.nodes.set(id, { seenAtMs: nowMs, dispatches, delivers });
    for (const [other, { seenAtMs }] of tables.nodes) if (seenAtMs < nowMs - HOUR_MS) tables.nodes.delete(other);
  });
  const nodes = [...others, { id, dispatches, delivers }]
    .sort((one, other) => byText(one.id, other.id))
    .map((node) => ({ ...node, shard: null }));
  const held: Row[] = [];
  for (const term of terms) held.push(...(yield* renew(session, term, leaseMs)));
  return [...nodes, ...held];
};

interface Term {
  key: string;
  endsAtMs: number | undefined;
  own: LeaseRow[];
}

function readTerm(session: Session, owner: string, work: string, [first, end]: [number, number]): Term {
  const { tables, nowMs } = session;
  const key = termKey(owner, work);
  const own = [...tables.leases.values()].filter(
    (lease) => lease.owner === owner && lease.shard >= first && lease.shard < end && lease.expiresAtMs > nowMs,
  );
  return { key, endsAtMs: tables.leaseTerms.get(key), own };
}

function* renew(
  session: Session,
  { key, endsAtMs, own }: Term,
  leaseMs: number,
): Generator<readonly string[], Row[], void> {
  const { tables, store, nowMs } = session;
  yield [termLock(key)];
  session.write(() =>
    tables.leaseTerms.set(key, Math.max(tables.leaseTerms.get(key) ?? Number.NEGATIVE_INFINITY, nowMs + leaseMs)),
  );
  const quietMs = endsAtMs === undefined ? null : nowMs - endsAtMs;
  const rowOf = ({ shard, epoch }: LeaseRow) => ({ id: null, shard, epoch, quiet_ms: quietMs });
  if (endsAtMs !== undefined && endsAtMs > store.nowMs()) return own.map(rowOf);
  const shards = own.map(({ shard }) => shard).sort((a, b) => a - b);
  yield shards.map(leaseLock);
  const begun = own.flatMap(({ shard, epoch }) => {
    const lease = tables.leases.get(shard);
    return lease?.epoch === epoch ? [{ ...lease, epoch: epoch + 1 }] : [];
  });
  session.write(() => {
    for (const lease of begun) tables.leases.set(lease.shard, lease);
  });
  return begun.map(rowOf);
}

const take: StatementModel = function* take(session, values) {
  const { tables, nowMs } = session;
  const shards = (values[0] as number[]).toSorted((a, b) => a - b);
  const owner = text(values[1]);
  const work = text(values[2]);
  const seizes = values[3] === true;
  const termOf = (lease: LeaseRow) => tables.leaseTerms.get(termKey(lease.owner, work));
  const before = new Map(
    shards.map((shard) => {
      const lease = tables.leases.get(shard);
      return [shard, lease && { ...lease, endedAtMs: Math.min(lease.expiresAtMs, termOf(lease) ?? nowMs) }];
    }),
  );
  const ended = [...tables.leaseTerms].filter(([term, endsAtMs]) => term.endsWith(`/${work}`) && endsAtMs < nowMs);
  yield ended
    .map(([term]) => term)
    .sort(byText)
    .map(termLock);
  const isFree = (lease: LeaseRow) => {
    const endsAtMs = termOf(lease);
    return lease.expiresAtMs < nowMs || endsAtMs === undefined || endsAtMs < nowMs || seizes;
  };
  const free = shards.filter((shard) => {
    const lease = before.get(shard);
    return lease === undefined || isFree(lease);
  });
  yield free.map(leaseLock);
  const taken = free.flatMap((shard) => {
    const epoch = before.get(shard)?.epoch ?? 0;
    if ((tables.leases.get(shard)?.epoch ?? 0) !== epoch) return [];
    return [{ shard, owner, epoch: epoch + 1, expiresAtMs: Number.POSITIVE_INFINITY }];
  });
  session.write(() => {
    for (const lease of taken) tables.leases.set(lease.shard, lease);
  });
  return taken.map(({ shard, epoch }) => {
    const lease = before.get(shard);
    return { shard, epoch, quiet_ms: lease === undefined ? null : nowMs - lease.endedAtMs };
  });
};

const release: StatementModel = function* release(session, values) {
  const { tables, nowMs } = session;
  const owner = text(values[0]);
  const isOwn = (shard: number) => tables.leases.get(shard)?.owner === owner;
  const shards = (values[1] as number[]).filter(isOwn);
  yield shards.map(leaseLock);
  const own = shards.filter(isOwn);
  session.write(() => {
    for (const shard of own) {
      const lease = tables.leases.get(shard);
      if (lease !== undefined) tables.leases.set(shard, { ...lease, expiresAtMs: Math.min(lease.expiresAtMs, nowMs) });
    }
  });
  return [];
};

/** The model's clock never goes back. */
const boundAhead: StatementModel = function* boundAhead() {
  yield [];
  return [];
};

const leave: StatementModel = function* leave(session, values) {
  const id = text(values[0]);
  yield [`node/${id}`];
  session.write(() => session.tables.nodes.delete(id));
  return [];
};

export const leaseStatements: Record<string, StatementModel> = {
  node_beat: beat,
  shard_lease_take: take,
  shard_lease_release: release,
  lease_bound_ahead: boundAhead,
  node_leave: leave,
};
