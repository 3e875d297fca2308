const PAIR_BURST = 45;
const PAIR_REFILL_MS = 6000;
const WINDOW_MS = 1000;
/**
 * Number of pairs at which full buckets are removed first, and later whenever the number has doubled. This keeps a send O(1) and each sweep
 * short.
 */
const PAIRS_BEFORE_SWEEP = 4_096;

export type LimitVerdict =
  | { kind: 'admitted' }
  | { kind: 'throughput'; limit: number }
  | { kind: 'pair'; limit: number; retryAfterMs: number };

const admitted: LimitVerdict = { kind: 'admitted' };

/** The last `limit` admissions of a number, oldest first from `next`. */
interface AdmissionRing {
  readonly times: Float64Array;
  next: number;
}

/**
 * Limits per number and per (number, recipient). Throughput is a sliding second: among any `limit + 1` consecutive admissions the first and
 * the last are at least one second apart. The pair limit is a token bucket of 45 that refills by one every six seconds. Only admitted sends
 * count.
 */
export class SendLimits {
  readonly #rings = new Map<string, AdmissionRing>();
  /** Time at which the bucket of each pair will be full again. */
  readonly #pairFullAt = new Map<string, number>();
  #sweepAt = PAIRS_BEFORE_SWEEP;

  /**
   * Decides one send that arrives at `nowMs` (monotonic) and counts it if admitted. `limit` is the number's messages a second.
   * If the arrival is known only to lie between `sinceMs` and `nowMs`, a send is refused only if it exceeds the limit at both times.
   */
  admit(numberId: string, recipient: string, limit: number, nowMs: number, sinceMs = nowMs): LimitVerdict {
    if (limit < 1) return { kind: 'throughput', limit };
    const ring = this.#ring(numberId, limit);
    const oldest = ring.times[ring.next] ?? Number.NEGATIVE_INFINITY;
    if (nowMs - oldest < WINDOW_MS) return { kind: 'throughput', limit };

    const pair = `${numberId}\0${recipient}`;
    const fullAt = Math.max(this.#pairFullAt.get(pair) ?? 0, nowMs);
    const overdrawnMs = fullAt - nowMs - (PAIR_BURST - 1) * PAIR_REFILL_MS;
    if (overdrawnMs > 0) return { kind: 'pair', limit: PAIR_BURST, retryAfterMs: overdrawnMs };

    this.#pairFullAt.set(pair, fullAt + PAIR_REFILL_MS);
    if (this.#pairFullAt.size > this.#sweepAt) this.#sweep(nowMs);
    ring.times[ring.next] = sinceMs;
    ring.next = (ring.next + 1) % ring.times.length;
    return admitted;
  }

  /** Forgets the throughput of a number; its pairs go with the next sweep. */
  forget(numberId: string): void {
    this.#rings.delete(numberId);
  }

  clear(): void {
    this.#rings.clear();
    this.#pairFullAt.clear();
  }

  #ring(numberId: string, limit: number): AdmissionRing {
    const known = this.#rings.get(numberId);
    if (known?.times.length === limit) return known;
    const ring = resized(known, limit);
    this.#rings.set(numberId, ring);
    return ring;
  }

  #sweep(nowMs: number): void {
    for (const [pair, fullAt] of this.#pairFullAt) if (fullAt <= nowMs) this.#pairFullAt.delete(pair);
    this.#sweepAt = Math.max(PAIRS_BEFORE_SWEEP, 2 * this.#pairFullAt.size);
  }
}

/** Returns a ring of the new size with the newest admissions of the old one. */
function resized(old: AdmissionRing | undefined, limit: number): AdmissionRing {
  const times = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  if (old === undefined) return { times, next: 0 };
  const chronological = [...old.times.subarray(old.next), ...old.times.subarray(0, old.next)];
  times.set(chronological.slice(-limit), Math.max(0, limit - chronological.length));
  return { times, next: 0 };
}
