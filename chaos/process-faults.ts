import { setTimeout as delay } from 'node:timers/promises';
import type { Span } from './checker.ts';
import type { GatewayNode } from './gateway-node.ts';
import type { Fault, Nemesis } from './nemesis.ts';
import type { PostgresNode } from './postgres-node.ts';

interface Deps {
  gateways: readonly [GatewayNode, ...GatewayNode[]];
  postgres: PostgresNode;
  /** What must hold still while only restarts in good order go on. */
  links: Nemesis;
  /** Filled with the times of those restarts. */
  rollingRestarts: Span[];
}

/** How many kills are still wanted. Without a number they go on until the nemesis is stopped. */
export interface Wanted {
  gatewayKills: number | null;
  postgresKills: number | null;
}

/** Beyond a lease, so that a paused gateway wakes up as the owner of nothing. */
const PAUSE_MS = [5_500, 9_000] as const;
const AFTERGLOW_MS = 500;

/** What goes wrong with the processes themselves. `wanted` is counted down; when all of it is done, nothing is left to choose. */
export function processFaults(deps: Deps, wanted: Wanted): Fault[] {
  const { gateways, postgres } = deps;
  const isBounded = wanted.gatewayKills !== null || wanted.postgresKills !== null;
  const isDone = () => isBounded && (wanted.gatewayKills ?? 0) <= 0 && (wanted.postgresKills ?? 0) <= 0;
  const pauseMsMax = isBounded ? 400 : 1_200;
  const unlessDone = (weight: number) => () => (isDone() ? 0 : weight);
  /** Kills are chosen often enough to be done with, and no longer then. */
  const left = (kills: number | null) => () => (kills === null ? 3 : Math.min(kills, 20));
  return [
    {
      name: 'gateway: SIGKILL',
      weight: () => left(wanted.gatewayKills)(),
      strike: async (random) => {
        const victim = random.pick(gateways);
        await victim.whenReady();
        await delay(random.between(0, pauseMsMax));
        victim.kill();
        if (wanted.gatewayKills !== null) wanted.gatewayKills -= 1;
      },
    },
    {
      name: 'PostgreSQL: SIGKILL',
      weight: () => left(wanted.postgresKills)(),
      strike: async (random) => {
        await postgres.whenReady();
        await delay(random.between(0, pauseMsMax));
        await postgres.kill();
        if (wanted.postgresKills !== null) wanted.postgresKills -= 1;
      },
    },
    {
      name: 'gateways: SIGKILL, all at once',
      weight: unlessDone(0.5),
      strike: async () => {
        await Promise.all(gateways.map((gateway) => gateway.whenReady()));
        for (const gateway of gateways) gateway.kill();
      },
    },
    {
      name: 'gateway: SIGSTOP beyond its lease',
      weight: unlessDone(1),
      strike: async (random) => {
        const victim = random.pick(gateways);
        victim.pause();
        await delay(random.between(...PAUSE_MS));
        victim.resume();
      },
    },
    {
      name: 'PostgreSQL: immediate stop',
      weight: unlessDone(1),
      strike: async () => {
        await postgres.whenReady();
        postgres.stopImmediately();
      },
    },
    {
      name: 'PostgreSQL: backends frozen',
      weight: unlessDone(1),
      strike: async (random) => {
        const thaw = await postgres.freezeBackends();
        await delay(random.between(1_000, 6_000));
        thaw();
      },
    },
    { name: 'gateways: rolling restart', weight: unlessDone(0.7), strike: () => restartInTurn(deps) },
  ];
}

/** Restarts one gateway after the other by SIGTERM, everything else being well: no client may notice. */
export async function restartInTurn({ gateways, postgres, links, rollingRestarts }: Deps): Promise<void> {
  await links.during(async () => {
    await postgres.whenReady();
    for (const gateway of gateways) await gateway.whenReady();
    await delay(AFTERGLOW_MS);
    const fromMs = Date.now();
    for (const gateway of gateways) {
      await gateway.terminate();
      await gateway.whenReady();
    }
    rollingRestarts.push({ fromMs, toMs: Date.now() });
  });
}
