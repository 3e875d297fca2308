/** A part of the process that is started once, and stopped once when the process ends. */
export interface Service {
  /** Names the part in logs. */
  readonly name: string;
  /** Begins the work. Long steps are abandoned when `stop` aborts. */
  start?(stop?: AbortSignal): Promise<void> | void;
  /** Begins no new work from now on. Called on all services before the first of them stops. */
  quiesce?(): void;
  /** Ends the work in progress and releases what it holds. */
  stop?(): Promise<void> | void;
}

/**
 * Starts services in the order of the list, each before the next, and stops them in the reverse order: a service may use those above it for
 * as long as it lives.
 */
export class Services {
  readonly #services: readonly Service[];
  #started = 0;

  constructor(services: readonly Service[]) {
    this.#services = services;
  }

  async start(stop?: AbortSignal): Promise<void> {
    for (const service of this.#services) {
      stop?.throwIfAborted();
      this.#started += 1;
      await service.start?.(stop);
    }
  }

  /** Stops each service whose start has begun, and each that needs no start. Every service is stopped, even if another one fails. */
  async stop(): Promise<void> {
    const running = this.#services.filter((service, index) => index < this.#started || service.start === undefined);
    running.reverse();
    for (const service of running) service.quiesce?.();
    const failures: unknown[] = [];
    for (const service of running) {
      try {
        await service.stop?.();
      } catch (error) {
        failures.push(new Error(`${service.name} did not stop`, { cause: error }));
      }
    }
    if (failures.length > 0)
      throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'not all stopped');
  }
}
