import type { AddressInfo } from 'node:net';
import type { AdmittedRequests } from '../../../admission/index.ts';
import type { MetricSet } from '../../../telemetry/index.ts';
import type { GatewaySettings } from '../surroundings.ts';

/** Settings of one worker. */
export interface WorkerSettings {
  /** Place of the worker, from 1. A replacement has the place of the worker it replaces. */
  worker: number;
  host: string;
  port: number;
  logLevel: string;
  gateway: GatewaySettings;
}

/** Messages of the supervisor to a worker. */
export type ToWorker =
  | { kind: 'settings'; settings: WorkerSettings }
  | { kind: 'stop' }
  | { kind: 'admitted'; requests: AdmittedRequests[] }
  | { kind: 'read_metrics'; id: number }
  | { kind: 'answer'; id: number; value: string | boolean };

/** Messages of a worker to its supervisor. */
export type ToSupervisor =
  | { kind: 'ready'; address: AddressInfo }
  /** The worker ends, because it could not start or must not go on. */
  | { kind: 'unfit'; message: string }
  | { kind: 'admitted'; requests: AdmittedRequests[] }
  | { kind: 'metrics'; id: number; own: MetricSet }
  | { kind: 'gather_metrics'; id: number; own: MetricSet }
  | { kind: 'redeem_link'; id: number; code: string };

/** Questions to another process that wait for their answers. */
export class Questions<Answer> {
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #last = 0;

  /** Sends a question. Resolves with the answer; with undefined if none came in time. */
  ask(send: (id: number) => void, timeoutMs: number): Promise<Answer | undefined> {
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    this.#last += 1;
    const id = this.#last;
    const timer = setTimeout(() => this.answered(id, undefined), timeoutMs);
    this.#waiting.set(id, (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    send(id);
    return promise;
  }

  answered(id: number, answer: Answer | undefined): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}
