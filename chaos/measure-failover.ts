import { setTimeout as delay } from 'node:timers/promises';
import type { Failover } from './checker.ts';
import type { GatewayNode } from './gateway-node.ts';
import type { SimulatedUpstream } from './simulated-upstream.ts';

const WATCHED_MS = 10_000;

/** Ends one of two healthy gateways under load and returns the longest standstill of any number. The load has to keep every number busy. */
export async function measureFailover(
  deps: { victim: GatewayNode; upstream: SimulatedUpstream },
  how: Failover['how'],
): Promise<Failover> {
  const { victim, upstream } = deps;
  await victim.whenReady();
  const fromMs = Date.now();
  if (how === 'SIGKILL') victim.kill();
  else await victim.terminate();
  await delay(Math.max(0, fromMs + WATCHED_MS - Date.now()));
  await upstream.collect();
  const watched = upstream.sends.filter((send) => send.wamid !== null && send.arrivedAtMs >= fromMs);
  const gaps = [...Map.groupBy(watched, (send) => send.phoneNumberId).values()].map((sends) => {
    const times = [fromMs, ...sends.map((send) => send.arrivedAtMs), fromMs + WATCHED_MS];
    return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
  });
  return { how, gapMs: Math.max(...gaps) };
}
