/** Requests of one party that another worker has admitted. */
export interface AdmittedRequests {
  party: string;
  /** Time that the limit allows for each of them. */
  intervalMs: number;
  count: number;
}

/** Tells fellow workers which requests this one has admitted, and learns of theirs. */
export interface SharedRequests {
  admitted(party: string, intervalMs: number): void;
  /** Sets the function that counts requests of the others. */
  follow(count: (requests: readonly AdmittedRequests[]) => void): void;
}

/** Gathers admitted requests for `delayMs`, so that thousands a second are one message. */
export class RequestsGatherer {
  readonly #send: (requests: AdmittedRequests[]) => void;
  readonly #delayMs: number;
  #waiting = new Map<string, AdmittedRequests>();

  constructor(send: (requests: AdmittedRequests[]) => void, delayMs: number) {
    this.#send = send;
    this.#delayMs = delayMs;
  }

  add(party: string, intervalMs: number): void {
    const known = this.#waiting.get(party);
    if (known !== undefined) {
      known.count += 1;
      known.intervalMs = intervalMs;
      return;
    }
    if (this.#waiting.size === 0) setTimeout(() => this.#flush(), this.#delayMs).unref();
    this.#waiting.set(party, { party, intervalMs, count: 1 });
  }

  #flush(): void {
    const requests = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#send(requests);
  }
}
