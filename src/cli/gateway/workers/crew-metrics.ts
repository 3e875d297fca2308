import {
  countWorkerEvents,
  createMetrics,
  lastingOf,
  type MetricSet,
  mergeMetrics,
  renderMerged,
} from '../../../telemetry/index.ts';
import type { Member } from './crew.ts';
import { Questions } from './messages.ts';

/** Time for a worker to read its metrics. */
const READ_MS = 1_000;

/** Merges the metrics of all workers and the supervisor's own process. */
export class CrewMetrics {
  readonly #members: () => readonly Member[];
  readonly #own = createMetrics();
  readonly #events = countWorkerEvents(this.#own);
  readonly #questions = new Questions<MetricSet>();
  /** Last metrics of each worker. */
  readonly #last = new Map<number, MetricSet>();
  /** Counters of the workers that have ended. */
  #ended: Promise<MetricSet> = Promise.resolve([]);

  constructor(members: () => readonly Member[]) {
    this.#members = members;
    this.#own.includeProcess();
  }

  /** Returns the text of all metrics. Of a worker that does not answer within a second, only its last counters are in it. */
  async gather(asking: Member, own: MetricSet): Promise<string> {
    this.#last.set(asking.number, own);
    const others = this.#members().filter(({ number }) => number !== asking.number);
    const sets = await Promise.all(others.map((member) => this.#readOf(member)));
    return await renderMerged([own, ...sets, await this.#ended, await this.#own.read()]);
  }

  /** Takes the answer of a worker. */
  answered(id: number, set: MetricSet): void {
    this.#questions.answered(id, set);
  }

  replaced(): void {
    this.#events.replaced.inc();
  }

  /** Keeps the counters of a worker that has ended. */
  ended(number: number): void {
    const last = this.#last.get(number);
    this.#last.delete(number);
    if (last !== undefined) this.#ended = this.#ended.then((ended) => mergeMetrics([ended, lastingOf(last)]));
  }

  async #readOf(member: Member): Promise<MetricSet> {
    const { number } = member;
    const set = await this.#questions.ask((id) => member.send({ kind: 'read_metrics', id }), READ_MS);
    const isCurrent = this.#members().includes(member);
    if (set === undefined) {
      this.#events.metrics_late.inc();
      // The counters of a worker that ended meanwhile are among those of the ended ones.
      return isCurrent ? lastingOf(this.#last.get(number) ?? []) : [];
    }
    if (isCurrent) this.#last.set(number, set);
    return set;
  }
}
