import { byText, number, text } from '../columns.ts';
import type { Session, StatementModel } from '../model-store.ts';
import type { LeaseRow, NodeRow } from '../tables.ts';

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
  const work = text(values[2]);
  const leaseMs = number(values[3]);
  const works = values[4] === true;
  const doesWork = (node: NodeRow) => (work === 'dispatch' ? node.dispatches : work === 'deliver' && node.delivers);
  const others = [...tables.nodes]
    .filter(([node, { seenAtMs }]) => node !== id && seenAtMs > nowMs - leaseMs)
    .map(([node, row]) => ({ id: node, works: doesWork(row) }));
  yield [`node/${id}`];
  const known = tables.nodes.get(id);
  const node = {
    seenAtMs: nowMs,
    dispatches: work === 'dispatch' ? works : known?.dispatches === true,
    delivers: work === 'deliver' ? works : known?.delivers === true,
  };
  session.write(() => {
    tables.nodes.set(id, node);
    for (const [other, { seenAtMs }] of tables.nodes) if (seenAtMs < nowMs - HOUR_MS) tables.nodes.delete(other);
  });
  return [...others, { id, works: works && work !== 'none' }].sort((a, b) => byText(a.id, b.id));
};

const renew: StatementModel = function* renew(session, values) {
  const { tables, store, nowMs } = session;
  const owner = text(values[0]);
  const term = termKey(owner, text(values[1]));
  const firstShard = number(values[2]);
  const endShard = firstShard + number(values[3]);
  const endsAtMs = tables.leaseTerms.get(term);
  const own = [...tables.leases.values()].filter(
    (lease) =>
      lease.owner === owner && lease.shard >= firstShard && lease.shard < endShard && lease.expiresAtMs > nowMs,
  );
  yield [termLock(term)];
  session.write(() =>
    tables.leaseTerms.set(
      term,
      Math.max(tables.leaseTerms.get(term) ?? Number.NEGATIVE_INFINITY, nowMs + number(values[4])),
    ),
  );
  const quietMs = endsAtMs === undefined ? null : nowMs - endsAtMs;
  if (endsAtMs !== undefined && endsAtMs > store.nowMs()) {
    return own.map(({ shard, epoch }) => ({ shard, epoch, quiet_ms: quietMs }));
  }
  const shards = own.map(({ shard }) => shard).sort((a, b) => a - b);
  yield shards.map(leaseLock);
  const begun = own.flatMap(({ shard, epoch }) => {
    const lease = tables.leases.get(shard);
    return lease?.epoch === epoch ? [{ ...lease, epoch: epoch + 1 }] : [];
  });
  session.write(() => {
    for (const lease of begun) tables.leases.set(lease.shard, lease);
  });
  return begun.map(({ shard, epoch }) => ({ shard, epoch, quiet_ms: quietMs }));
};

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
  shard_lease_renew: renew,
  shard_lease_take: take,
  shard_lease_release: release,
  lease_bound_ahead: boundAhead,
  node_leave: leave,
};
