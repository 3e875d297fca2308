import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../src/core/seeded-random.ts';
import type { GatewayNode } from './gateway-node.ts';
import type { Link } from './link-process.ts';
import type { Fault } from './nemesis.ts';
import type { SimulatedUpstream } from './simulated-upstream.ts';
import type { LinkFault } from './tcp-proxy.ts';

interface Deps {
  gateways: readonly [GatewayNode, ...GatewayNode[]];
  upstream: SimulatedUpstream;
}

/**
 * Faults of the links between the processes and of the upstream's answers. The link towards the upstream never delays data: messages sent
 * in time would arrive in a bunch, and the upstream's limits count arrivals. `brief` leaves out the faults that cause the gateway's longest
 * waits.
 */
export function linkFaults({ gateways, upstream }: Deps, brief: boolean): Fault[] {
  const databaseOf = (random: Random) => random.pick(gateways).databaseLink;
  const upstreamOf = (random: Random) => random.pick(gateways).upstreamLink;
  const during = async (link: Link, fault: LinkFault, waitMs: number) => {
    link.misbehave(fault);
    await delay(waitMs);
    link.heal();
  };
  const answers = (fault: Record<string, unknown>, periodMs: number) => async () => {
    await upstream.addFault({ scope: { endpoint: 'messages' }, period_ms: periodMs, ...fault });
    await delay(periodMs);
  };
  const slow: Fault[] = [
    {
      name: 'upstream link: half-open',
      weight: () => 1,
      strike: (random) => during(upstreamOf(random), { blackHole: true }, random.between(500, 2_000)),
    },
    { name: 'upstream: hangs', weight: () => 1, strike: answers({ kind: 'hang', probability: 0.1 }, 1_000) },
    {
      name: 'upstream: answer lost',
      weight: () => 1,
      strike: answers({ kind: 'reply_lost', probability: 0.1 }, 1_000),
    },
    {
      name: 'upstream: reset, not taken',
      weight: () => 1,
      strike: answers({ kind: 'reset_before', probability: 0.2 }, 1_000),
    },
    {
      name: 'upstream: empty 503',
      weight: () => 1,
      strike: answers({ kind: 'http', http_status: 503, body: '', probability: 0.2 }, 1_000),
    },
    {
      name: 'upstream: 131000',
      weight: () => 1,
      strike: answers({ kind: 'error', code: 131000, probability: 0.3 }, 1_000),
    },
  ];
  return [
    {
      name: 'database link: latency',
      weight: () => 2,
      strike: (random) => {
        const delayMs = random.between(20, 250);
        return during(
          databaseOf(random),
          { toClientDelayMs: delayMs, toServerDelayMs: delayMs },
          random.between(1_000, 4_000),
        );
      },
    },
    { name: 'database link: reset', weight: () => 2, strike: async (random) => databaseOf(random).resetAll() },
    {
      name: 'database link: cut in the middle of an answer',
      weight: () => 2,
      strike: (random) => during(databaseOf(random), { truncate: true }, random.between(50, 300)),
    },
    {
      name: 'database link: half-open',
      weight: () => 1,
      strike: (random) => during(databaseOf(random), { blackHole: true }, random.between(500, 3_000)),
    },
    {
      name: 'database link: trickle',
      weight: () => 1,
      strike: (random) => during(databaseOf(random), { toClientBytesPerSecond: 20_000 }, random.between(1_000, 3_000)),
    },
    { name: 'upstream link: reset', weight: () => 2, strike: async (random) => upstreamOf(random).resetAll() },
    {
      name: 'upstream link: cut in the middle of an answer',
      weight: () => 2,
      strike: (random) => during(upstreamOf(random), { truncate: true }, random.between(50, 300)),
    },
    {
      name: 'upstream link: slow answers',
      weight: () => 1,
      strike: (random) =>
        during(upstreamOf(random), { toClientDelayMs: random.between(100, 2_000) }, random.between(1_000, 3_000)),
    },
    {
      name: 'upstream: slow',
      weight: () => 1,
      strike: answers({ kind: 'slow', delay_ms: 1_500, probability: 0.3 }, 2_000),
    },
    {
      name: 'upstream: reset, taken',
      weight: () => 2,
      strike: answers({ kind: 'reset_after', probability: 0.3 }, 1_000),
    },
    { name: 'upstream: answer cut', weight: () => 2, strike: answers({ kind: 'reply_cut', probability: 0.3 }, 1_000) },
    { name: 'upstream: code 2', weight: () => 1, strike: answers({ kind: 'error', code: 2, probability: 0.3 }, 1_000) },
    { name: 'webhooks: late', weight: () => 1, strike: answers({ kind: 'webhook_late', delay_ms: 4_000 }, 2_000) },
    {
      name: 'webhooks: three times',
      weight: () => 1,
      strike: answers({ kind: 'webhook_duplicated', copies: 3 }, 2_000),
    },
    { name: 'webhooks: out of order', weight: () => 1, strike: answers({ kind: 'webhook_reordered' }, 2_000) },
    { name: 'webhooks: before the answer', weight: () => 1, strike: answers({ kind: 'webhook_first' }, 2_000) },
    ...(brief ? [] : slow),
  ];
}
