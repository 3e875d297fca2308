import type { Random } from '../src/core/seeded-random.ts';
import type { EventLoop } from './event-loop.ts';
import { Gateway } from './gateway.ts';
import type { Platform } from './platform.ts';
import { nodeIdOf } from './population.ts';
import { Link } from './store/link.ts';
import type { SimulatedServer } from './store/simulated-server.ts';
import type { ChangeRow } from './store/tables.ts';
import type { Trace } from './trace.ts';
import { VirtualProcess } from './virtual-process.ts';
import type { Weather } from './weather.ts';

export interface ClusterOptions {
  loop: EventLoop;
  random: Random;
  weather: Weather;
  trace: Trace;
  server: SimulatedServer;
  platform: () => Platform;
  /** Called when a node begins to enforce the current state of a number. */
  inForce: (nodeId: string, phoneNumberId: string) => void;
}

const RESTART_MS_MAX = 4_000;
const FORGOTTEN_MS_MAX = 1_000;

/** The gateways, one per slot. A supervisor replaces a dead gateway by a new node. */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #slots: (Gateway | undefined)[];
  readonly #nodeIds = new Map<string, string>();
  readonly #isAlone: boolean;
  #untold: ChangeRow[] = [];
  #started = 0;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { nodes } = options.weather;
    this.#isAlone = nodes === 1 && options.random.chance(0.5);
    this.#slots = Array.from({ length: nodes }, () => undefined);
    for (const slot of this.#slots.keys()) this.#start(slot);
  }

  find(slot: number): Gateway | undefined {
    return this.#slots[slot];
  }

  /** Returns the slots whose process runs. */
  running(): number[] {
    return [...this.#slots.keys()].filter((slot) => this.#slots[slot]?.process.isRunning === true);
  }

  /** Returns the id of the node that a process was started as. */
  nodeIdOf(processName: string): string {
    return this.#nodeIds.get(processName) ?? '';
  }

  /** True if a gateway serves requests, and therefore sweeps. */
  get isServing(): boolean {
    return this.#slots.some((gateway) => gateway?.isServing === true);
  }

  /** Picks a gateway for a client or a webhook: usually one that serves requests, sometimes another. */
  pick(): Gateway | undefined {
    const { random } = this.#options;
    const serving = this.#slots.filter((gateway) => gateway?.isServing === true);
    return serving.length > 0 && random.chance(0.95) ? random.pick(serving) : random.pick(this.#slots);
  }

  /**
   * Broadcasts a committed change to all gateways, together with the others of the same commit: to one gateway at once, to each other one
   * later. Every gateway drops its cached rows within a second, even if the broadcast is later.
   */
  changed(change: ChangeRow): void {
    const { loop, random, weather } = this.#options;
    this.#untold.push(change);
    if (this.#untold.length > 1) return;
    loop.in(0, () => {
      const changes = this.#untold.splice(0);
      const first = random.between(0, this.#slots.length - 1);
      for (const [slot, gateway] of this.#slots.entries()) {
        if (gateway === undefined) continue;
        const delayMs = slot === first ? 0 : random.next() * weather.toldMsMax;
        loop.in(Math.min(delayMs, FORGOTTEN_MS_MAX), () => gateway.process.deliver(() => gateway.forget(changes)));
        loop.in(delayMs, () => gateway.process.deliver(() => this.#tell(gateway, changes)));
      }
    });
  }

  #tell(gateway: Gateway, changes: readonly ChangeRow[]): void {
    const { tables } = this.#options.server.store;
    const rowsOf = (phoneNumberId: string) => {
      const numbers = tables.numbersCalled(phoneNumberId);
      return [tables.wabas.get(numbers[0]?.wabaId ?? ''), ...numbers];
    };
    const told = new Map(changes.map(({ key }) => [key, rowsOf(key)]));
    gateway.hear(changes, (phoneNumberId) => {
      // A later change gets its own broadcast.
      const isNews = rowsOf(phoneNumberId).some((row, index) => row !== told.get(phoneNumberId)?.[index]);
      if (!isNews) this.#options.inForce(gateway.nodeId, phoneNumberId);
    });
  }

  kill(slot: number): void {
    this.#slots[slot]?.process.kill();
    this.#restartLater(slot);
  }

  /** Ends a gateway as SIGTERM does. */
  stop(slot: number): void {
    const gateway = this.#slots[slot];
    if (gateway === undefined) return;
    const end = () => {
      if (gateway.process.isDead) return;
      gateway.process.kill();
      this.#restartLater(slot);
    };
    gateway.process.deliver(() => void gateway.stop().then(end, end));
    // Supervisors kill a process that is still running after this time, ms.
    this.#options.loop.in(14_000, end);
  }

  pause(slot: number, durationMs: number): void {
    const gateway = this.#slots[slot];
    if (gateway === undefined) return;
    gateway.process.pause();
    this.#options.loop.in(durationMs, () => {
      this.#options.trace.note(`${gateway.process.name} goes on`);
      gateway.process.resume();
    });
  }

  #restartLater(slot: number): void {
    const { loop, random } = this.#options;
    loop.in(100 + random.next() * RESTART_MS_MAX, () => {
      if (this.#slots[slot]?.process.isDead !== false) this.#start(slot);
    });
  }

  #start(slot: number): void {
    const { loop, random, weather, server, trace } = this.#options;
    this.#started += 1;
    const name = `node ${this.#started}`;
    const nodeId = nodeIdOf(this.#started);
    this.#nodeIds.set(name, nodeId);
    const process = new VirtualProcess(loop, random, {
      name,
      wallOffsetMs: (2 * random.next() - 1) * weather.wallOffsetMsMax,
      timerLateMs: weather.timerLateMs,
    });
    process.deliver(() => {
      const gateway = new Gateway({
        process,
        nodeId,
        link: new Link(loop, server, process),
        upstream: this.#options.platform().upstreamOf(process),
        random,
        alone: this.#isAlone,
        tables: server.store.tables,
      });
      this.#slots[slot] = gateway;
      trace.note(`${name} starts`);
      gateway.start().catch(() => {
        trace.note(`${name} could not start`);
        this.kill(slot);
      });
    });
  }
}
