import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { freshRecipient, type Served, send, type Tenant, templateTo } from '../harness/tenant.ts';

/** Totals of a load, as every script prints them. */
export interface Tally {
  accepted: number;
  /** Messages that the platform accepted. */
  sent: number;
  /** Accepted messages that the platform never received. */
  lost: number;
  /** Messages that the platform received more than once. */
  doubled: number;
  /** Answers other than 202, all of them retried. */
  refused: number;
}

const RETRY_MS = 50;
const GIVE_UP_MS = 60_000;
const ANSWER_MS_MAX = 20_000;
const SETTLED_MS_MAX = 120_000;

/**
 * Sends messages at a steady rate, each to another person and with an Idempotency-Key, and repeats a send until it is accepted. `stop()`
 * ends it, waits until the platform has received all messages, and returns the totals. `halt()` ends it at once and repeats nothing.
 */
export class SteadyLoad {
  readonly #gateways: readonly Served[];
  readonly #tenant: Tenant;
  readonly #name = randomUUID();
  readonly #accepted = new Map<string, number>();
  readonly #pending = new Set<Promise<void>>();
  #refused = 0;
  #stopped = false;
  #halted = false;
  readonly #running: Promise<void>;

  constructor(gateways: readonly [Served, ...Served[]], tenant: Tenant, perSecond: number) {
    this.#gateways = gateways;
    this.#tenant = tenant;
    this.#running = this.#run(1_000 / perSecond);
  }

  get acceptedCount(): number {
    return this.#accepted.size;
  }

  /** Resolves with the milliseconds until a send that began after this call is accepted. */
  async nextAccepted(): Promise<number> {
    const fromMs = performance.now();
    while (![...this.#accepted.values()].some((begunAtMs) => begunAtMs >= fromMs)) await delay(5);
    return performance.now() - fromMs;
  }

  async stop(): Promise<Tally> {
    this.#stopped = true;
    await this.#running;
    await Promise.all(this.#pending);
    return await this.settle();
  }

  /** Ends the load; sends that are not answered 202 are given up. Resolves when the last answer has arrived. */
  async halt(): Promise<void> {
    this.#halted = true;
    this.#stopped = true;
    await this.#running;
    await Promise.all(this.#pending);
  }

  /** Waits until the platform has received all accepted messages, and returns the totals. */
  async settle(): Promise<Tally> {
    const deadline = performance.now() + SETTLED_MS_MAX;
    while (this.tally().lost > 0 && performance.now() < deadline) await delay(200);
    // A second copy would come after the first.
    await delay(2_000);
    return this.tally();
  }

  async #run(intervalMs: number): Promise<void> {
    const fromMs = performance.now();
    for (let count = 0; !this.#stopped; count += 1) {
      await delay(Math.max(0, fromMs + count * intervalMs - performance.now()));
      const sending = this.#sendUntilAccepted(count).finally(() => this.#pending.delete(sending));
      this.#pending.add(sending);
    }
  }

  async #sendUntilAccepted(count: number): Promise<void> {
    const to = freshRecipient();
    const headers = { 'idempotency-key': `${this.#name}-${count}` };
    const begunAtMs = performance.now();
    for (let tries = count; performance.now() - begunAtMs < GIVE_UP_MS; tries += 1) {
      const gateway = this.#gateways[tries % this.#gateways.length] as Served;
      const answer = await Promise.race([
        send(gateway, this.#tenant, templateTo(to), { headers }).catch(() => undefined),
        delay(ANSWER_MS_MAX, undefined, { ref: false }),
      ]);
      if (answer?.status === 202) {
        this.#accepted.set(to, begunAtMs);
        return;
      }
      this.#refused += 1;
      if (this.#halted) return;
      await delay(RETRY_MS);
    }
  }

  /**
   * The totals now. `sent` and `doubled` count everything that the platform has received. Only messages whose send began before
   * `acceptedBeforeMs` (by `performance.now()`) count as lost.
   */
  tally(acceptedBeforeMs = Number.POSITIVE_INFINITY): Tally {
    const copies = new Map<string, number>();
    for (const { to } of this.#gateways[0]?.simulator.world.sends.list({ outcome: 'accepted' }) ?? [])
      if (to !== null) copies.set(to, (copies.get(to) ?? 0) + 1);
    return {
      accepted: this.#accepted.size,
      sent: copies.size,
      lost: [...this.#accepted].filter(([to, begunAtMs]) => begunAtMs < acceptedBeforeMs && !copies.has(to)).length,
      doubled: [...copies.values()].filter((count) => count > 1).length,
      refused: this.#refused,
    };
  }
}

export function describeTally({ accepted, sent, lost, doubled, refused }: Tally): string {
  return `accepted ${accepted}, sent ${sent}, lost ${lost}, doubled ${doubled}, refused and repeated ${refused}`;
}
