import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from '../src/core/seeded-random.ts';
import type { Clock } from '../src/core/time/clock.ts';
import type { EventLoop } from './event-loop.ts';

/** When all simulations begin, as wall clocks show it: the middle of a month, so that no run crosses a billing month. */
export const EPOCH_MS = Date.UTC(2026, 5, 15, 12);
/** Shorter timers take this long in a real process, too. */
const TIMER_MS_MIN = 1;

let running: VirtualProcess | undefined;

/**
 * An operating system process that lives in virtual time: all its code runs in callbacks handed to `deliver`, so that it can be
 * stopped, gone on with, or killed between any two of them.
 */
export class VirtualProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly #loop: EventLoop;
  #state: 'running' | 'paused' | 'dead' = 'running';
  #missed: (() => void)[] = [];
  #killed: (() => void)[] = [];

  /** `wallOffsetMs` is how far its wall clock is off; `timerLateMs` how late its timers may fire. */
  constructor(loop: EventLoop, random: Random, options: { name: string; wallOffsetMs: number; timerLateMs: number }) {
    this.name = options.name;
    this.#loop = loop;
    const bootedMs = random.between(0, 1_000_000);
    this.clock = {
      now: () => EPOCH_MS + options.wallOffsetMs + loop.nowMs,
      monotonicMs: () => bootedMs + loop.nowMs,
      schedule: (delayMs, fire) => {
        let isDone = false;
        const lateMs = random.next() * options.timerLateMs;
        const cancel = loop.in(Math.max(TIMER_MS_MIN, delayMs) + lateMs, () => {
          this.deliver(() => {
            if (!isDone) fire();
          });
        });
        return () => {
          isDone = true;
          cancel();
        };
      },
    };
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  /** Runs `work` in this process: at once, after its pause, or never. */
  deliver(work: () => void): void {
    if (this.#state === 'paused') this.#missed.push(work);
    if (this.#state !== 'running') return;
    running = this;
    work();
  }

  /** Runs `work` when the present callback and its promise reactions have run, as `setImmediate` does. */
  immediate(work: () => void): void {
    this.#loop.in(0, () => this.deliver(work));
  }

  /** Stops it as SIGSTOP does: whatever reaches it waits. */
  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  /** Goes on as after SIGCONT: everything that has reached it meanwhile happens in its order. */
  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    for (const work of this.#missed.splice(0)) this.#loop.in(0, () => this.deliver(work));
  }

  /** Ends it as SIGKILL does: none of its promises will ever settle. */
  kill(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#missed = [];
    for (const tell of this.#killed.splice(0)) tell();
  }

  /** Calls back when it dies: for those connected to it. */
  onKilled(tell: () => void): void {
    if (this.#state === 'dead') tell();
    else this.#killed.push(tell);
  }
}

/**
 * While `work` runs, `setImmediate` belongs to the virtual process that calls it, nobody can ask what time it really is, and what new
 * ids are made of rises from one to the next: of two made in one millisecond the later sorts later, as no seed would decide otherwise.
 */
export async function withVirtualGlobals<T>(work: () => Promise<T>): Promise<T> {
  const original = { setImmediate: globalThis.setImmediate, now: Date.now, randomFillSync: crypto.randomFillSync };
  const virtual = (callback: (...values: unknown[]) => void, ...values: unknown[]) => {
    if (running === undefined) throw new Error('setImmediate outside of a virtual process');
    running.immediate(() => callback(...values));
  };
  globalThis.setImmediate = virtual as unknown as typeof setImmediate;
  Date.now = () => {
    throw new Error('no life knows what time it really is');
  };
  replaceRandomFill(fillRising);
  try {
    return await work();
  } finally {
    globalThis.setImmediate = original.setImmediate;
    Date.now = original.now;
    replaceRandomFill(original.randomFillSync);
    running = undefined;
  }
}

let blocks = 0;

/** Fills 16 bytes after the other with a number that rises faster than ids counted within a millisecond. */
function fillRising(bytes: Buffer): Buffer {
  for (let offset = 0; offset < bytes.length; offset += 16) bytes.writeUInt32BE(4 * blocks++, offset);
  return bytes;
}

function replaceRandomFill(randomFillSync: typeof fillRising | typeof crypto.randomFillSync): void {
  Object.assign(crypto, { randomFillSync });
  syncBuiltinESMExports();
}
