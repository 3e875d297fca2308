import { setTimeout as delay } from 'node:timers/promises';
import type { Span } from './checker.ts';
import type { GatewayNode } from './gateway-node.ts';
import type { Fault, Nemesis } from './nemesis.ts';
import type { PostgresNode } from './postgres-node.ts';

interface Deps {
  gateways: readonly [GatewayNode, ...GatewayNode[]];
  postgres: PostgresNode;
  /** Nemeses that pause during orderly restarts. */
  others: readonly Nemesis[];
  /** Receives the times of the orderly restarts. */
  rollingRestarts: Span[];
}

/** Longer than a lease, ms, so that a paused gateway resumes without any lease. */
const PAUSE_MS = [5_500, 9_000] as const;
const AFTERGLOW_MS = 500;

/** Faults of the gateways themselves, until `kills` are done; null for no end. */
export function gatewayFaults(deps: Deps, kills: number | null): Fault[] {
  const { gateways } = deps;
  const wanted = new Countdown(kills);
  return [
    {
      name: 'gateway: SIGKILL',
      weight: () => wanted.weight,
      strike: async (random) => {
        const victim = random.pick(gateways);
        await victim.whenReady();
        await delay(random.between(0, wanted.pauseMsMax));
        victim.kill();
        wanted.count();
      },
    },
    {
      name: 'gateways: SIGKILL, all at once',
      weight: () => wanted.unlessDone(0.5),
      strike: async () => {
        await Promise.all(gateways.map((gateway) => gateway.whenReady()));
        for (const gateway of gateways) gateway.kill();
      },
    },
    {
      name: 'gateway: SIGSTOP beyond its lease',
      weight: () => wanted.unlessDone(1),
      strike: async (random) => {
        const victim = random.pick(gateways);
        victim.pause();
        await delay(random.between(...PAUSE_MS));
        victim.resume();
      },
    },
    { name: 'gateways: rolling restart', weight: () => wanted.unlessDone(0.7), strike: () => restartInTurn(deps) },
  ];
}

/** Faults of the database itself, until `kills` are done; null for no end. */
export function postgresFaults({ postgres }: Pick<Deps, 'postgres'>, kills: number | null): Fault[] {
  const wanted = new Countdown(kills);
  return [
    {
      name: 'PostgreSQL: SIGKILL',
      weight: () => wanted.weight,
      strike: async (random) => {
        await postgres.whenReady();
        await delay(random.between(0, 2 * wanted.pauseMsMax));
        await postgres.kill();
        wanted.count();
      },
    },
    {
      name: 'PostgreSQL: immediate stop',
      weight: () => wanted.unlessDone(1),
      strike: async () => {
        await postgres.whenReady();
        postgres.stopImmediately();
      },
    },
    {
      name: 'PostgreSQL: backends frozen',
      weight: () => wanted.unlessDone(1),
      strike: async (random) => {
        const thaw = await postgres.freezeBackends();
        await delay(random.between(1_000, 6_000));
        thaw();
      },
    },
  ];
}

/** Counts down the kills. With a limited number, kills are chosen often and follow fast, so that the run ends soon. */
class Countdown {
  readonly pauseMsMax: number;
  #left: number | null;

  constructor(kills: number | null) {
    this.#left = kills;
    this.pauseMsMax = kills === null ? 1_200 : 400;
  }

  get weight(): number {
    return this.#left === null ? 3 : Math.min(Math.max(this.#left, 0), 20);
  }

  unlessDone(weight: number): number {
    return this.#left !== null && this.#left <= 0 ? 0 : weight;
  }

  count(): void {
    if (this.#left !== null) this.#left -= 1;
  }
}

/** Restarts one gateway after the other by SIGTERM without other faults: no client may see an error. */
async function restartInTurn({ gateways, postgres, others, rollingRestarts }: Deps): Promise<void> {
  await inPeace(others, async () => {
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

/** Runs `work` while none of the nemeses injects a fault. */
async function inPeace([first, ...others]: readonly Nemesis[], work: () => Promise<void>): Promise<void> {
  if (first === undefined) await work();
  else await first.during(() => inPeace(others, work));
}
