import cluster, { type Worker } from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { closeUnaccepted } from './close-unaccepted.ts';
import type { ToSupervisor, ToWorker, WorkerSettings } from './messages.ts';

const WORKER_FILE = join(import.meta.dirname, 'worker.ts');
/** Pauses before a worker is replaced: longer with each one that lived shorter than `livedMs`. */
const PAUSE = { firstMs: 500, mostMs: 30_000, livedMs: 30_000 };

/** A running worker. */
export interface Member {
  readonly number: number;
  send(message: ToWorker): void;
}

interface CrewDeps {
  count: number;
  log: Logger;
  settingsOf: (number: number) => WorkerSettings;
  /** Called with each message of a worker that the crew does not need itself. */
  onMessage: (from: Member, message: ToSupervisor) => void;
  /** Called when a worker has ended. */
  onEnd: (number: number) => void;
  /** Called before a worker is replaced. */
  onReplace: () => void;
  /** Called with the reason if a worker must not go on, so that a replacement must not either. */
  onUnfit: (reason: Error) => void;
}

/** Starts the workers, replaces each one that ends, and stops them. */
export class Crew {
  readonly #deps: CrewDeps;
  readonly #members = new Map<number, Member & { ended: Promise<void> }>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #isComplete = false;
  #isStopping = false;

  constructor(deps: CrewDeps) {
    this.#deps = deps;
  }

  /** The workers that run or start now. */
  members(): Member[] {
    return [...this.#members.values()];
  }

  /**
   * Starts all workers. The first one has prepared the database before the others start, and a failure that concerns all of them is
   * reported once. Resolves with the address on which they listen.
   */
  async start(): Promise<AddressInfo> {
    // The supervisor accepts connections and gives each to a worker that has taken its last one: a busy worker gets fewer, and the
    // connections that wait to be accepted survive the end of a worker.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: WORKER_FILE, args: [], serialization: 'advanced' });
    const address = await this.#hire(1);
    await Promise.all(Array.from({ length: this.#deps.count - 1 }, (_, place) => this.#hire(place + 2)));
    this.#isComplete = true;
    return address;
  }

  /** Asks all workers to end, and waits until they have. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    const members = [...this.#members.values()];
    for (const member of members) member.send({ kind: 'stop' });
    await Promise.all(members.map(({ ended }) => ended));
  }

  /** Starts a worker. Resolves when it is ready; rejects if it ends before. */
  #hire(number: number, shortLives = 0): Promise<AddressInfo> {
    if (this.#isStopping) return Promise.reject(new Error('the workers are stopping'));
    const { log, settingsOf, onMessage, onEnd, onUnfit } = this.#deps;
    const ready = Promise.withResolvers<AddressInfo>();
    const ended = Promise.withResolvers<void>();
    const startedAtMs = performance.now();
    let isReady = false;
    let reason: string | undefined;
    const worker = cluster.fork();
    closeUnaccepted(worker);
    const member = { number, ended: ended.promise, send: (message: ToWorker) => send(worker, message) };
    this.#members.set(number, member);
    worker.on('message', (message: ToSupervisor) => {
      if (message.kind === 'ready') {
        isReady = true;
        ready.resolve(message.address);
      } else if (message.kind === 'unfit') {
        reason = message.message;
        if (isReady) onUnfit(new Error(reason));
      } else onMessage(member, message);
    });
    const leave = (code: number | null, signal: string | null) => {
      if (this.#members.get(number) !== member) return;
      this.#members.delete(number);
      onEnd(number);
      ended.resolve();
      ready.reject(new Error(reason ?? `Worker ${number} ended with ${signal ?? code} before it was ready.`));
      if (this.#isStopping) {
        if (code !== 0) log.error({ worker: number, code, signal }, 'a worker did not stop in order');
      } else if (this.#isComplete) {
        log.error({ worker: number, code, signal, reason }, 'a worker ended; another one takes its place');
        const livedMs = performance.now() - startedAtMs;
        this.#replace(number, isReady && livedMs >= PAUSE.livedMs ? 0 : shortLives + 1);
      }
    };
    worker.on('exit', leave);
    worker.on('error', (error) => {
      // With a process, the error is a failed message to a worker that is about to end.
      if (worker.process.pid !== undefined) return;
      reason = error.message;
      leave(null, null);
    });
    send(worker, { kind: 'settings', settings: settingsOf(number) });
    return ready.promise;
  }

  #replace(number: number, shortLives: number): void {
    const pauseMs = shortLives <= 1 ? 0 : Math.min(PAUSE.firstMs * 2 ** (shortLives - 2), PAUSE.mostMs);
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#deps.onReplace();
      // A failure is reported and answered by the end of the process.
      this.#hire(number, shortLives).catch(() => {});
    }, pauseMs);
    this.#pauses.add(pause);
  }
}

/** Sends a message. If the channel is closed, the worker is about to end, which is noticed by itself. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
