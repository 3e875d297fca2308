import { byText, number, text } from '../columns.ts';
import type { StatementModel } from '../model-store.ts';
import type { NodeRow } from '../tables.ts';

const HOUR_MS = 60 * 60 * 1000;

/** The lock a statement that depends on a lease takes. */
export const leaseLock = (shard: number) => `lease/${shard}`;

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

const hold: StatementModel = function* hold(session, values) {
  const { tables, nowMs } = session;
  const shards = (values[0] as number[]).toSorted((a, b) => a - b);
  const owner = text(values[1]);
  const expiresAtMs = nowMs + number(values[2]);
  const seizes = values[3] === true;
  const endedAtMs = new Map(shards.map((shard) => [shard, tables.leases.get(shard)?.expiresAtMs]));
  yield shards.map(leaseLock);
  const held = shards.flatMap((shard) => {
    const lease = tables.leases.get(shard);
    if (lease === undefined) return [{ shard, owner, epoch: 1, expiresAtMs }];
    const isOver = lease.expiresAtMs < nowMs;
    if (lease.owner === owner && !isOver) return [{ ...lease, expiresAtMs }];
    return isOver || seizes ? [{ shard, owner, epoch: lease.epoch + 1, expiresAtMs }] : [];
  });
  session.write(() => {
    for (const lease of held) tables.leases.set(lease.shard, lease);
  });
  return held.map(({ shard, epoch }) => {
    const before = endedAtMs.get(shard);
    return { shard, epoch, quiet_ms: before === undefined ? null : nowMs - before };
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

const leave: StatementModel = function* leave(session, values) {
  const id = text(values[0]);
  yield [`node/${id}`];
  session.write(() => session.tables.nodes.delete(id));
  return [];
};

export const leaseStatements: Record<string, StatementModel> = {
  node_beat: beat,
  shard_lease_hold: hold,
  shard_lease_release: release,
  node_leave: leave,
};
