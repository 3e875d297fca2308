import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from '../src/core/seeded-random.ts';
import type { Clock } from '../src/core/time/clock.ts';
import type { EventLoop } from './event-loop.ts';

/** Start of every simulation by the wall clock: the middle of a month, so that no run crosses a billing month. */
export const EPOCH_MS = Date.UTC(2026, 5, 15, 12);
/** Shortest delay of a timer, ms, as in a real process. */
const TIMER_MS_MIN = 1;

let running: VirtualProcess | undefined;

/**
 * An operating system process in virtual time. All its code runs in callbacks passed to `deliver`, so it can be paused, resumed or killed
 * between any two of them.
 */
export class VirtualProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly #loop: EventLoop;
  #state: 'running' | 'paused' | 'dead' = 'running';
  #missed: (() => void)[] = [];
  #killed: (() => void)[] = [];

  /** `wallOffsetMs` is the error of its wall clock; `timerLateMs` the longest delay of its timers. */
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

  /** Runs `work` after the present callback and its promise reactions, as `setImmediate` does. */
  immediate(work: () => void): void {
    this.#loop.in(0, () => this.deliver(work));
  }

  /** Stops the process as SIGSTOP does: all its callbacks wait. */
  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  /** Resumes as after SIGCONT: the callbacks that arrived during the pause run in their order. */
  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    for (const work of this.#missed.splice(0)) this.#loop.in(0, () => this.deliver(work));
  }

  /** Ends the process as SIGKILL does: none of its promises ever settles. */
  kill(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#missed = [];
    for (const tell of this.#killed.splice(0)) tell();
  }

  /** Calls back when the process dies, so that its connections can close. */
  onKilled(tell: () => void): void {
    if (this.#state === 'dead') tell();
    else this.#killed.push(tell);
  }
}

/**
 * While `work` runs, `setImmediate` belongs to the calling virtual process, `Date.now` throws, and the random part of new ids rises.
 * Without rising ids, the order of two ids made in one millisecond would not depend on the seed.
 */
export async function withVirtualGlobals<T>(work: () => Promise<T>): Promise<T> {
  const original = { setImmediate: globalThis.setImmediate, now: Date.now, randomFillSync: crypto.randomFillSync };
  const virtual = (callback: (...values: unknown[]) => void, ...values: unknown[]) => {
    if (running === undefined) throw new Error('setImmediate outside of a virtual process');
    running.immediate(() => callback(...values));
  };
  globalThis.setImmediate = virtual as unknown as typeof setImmediate;
  Date.now = () => {
    throw new Error('code under simulation must not read the real time');
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

/** Fills every 16 bytes with a number that rises faster than ids counted within a millisecond. */
function fillRising(bytes: Buffer): Buffer {
  for (let offset = 0; offset < bytes.length; offset += 16) bytes.writeUInt32BE(4 * blocks++, offset);
  return bytes;
}

function replaceRandomFill(randomFillSync: typeof fillRising | typeof crypto.randomFillSync): void {
  Object.assign(crypto, { randomFillSync });
  syncBuiltinESMExports();
}
