import { AppError, unavailable } from '../../core/errors.ts';

export interface TransferLimits {
  /** Simultaneous transfers in this process. */
  processMax: number;
  /** Simultaneous transfers of one organization, fewer than `processMax` so that none can shut the others out. */
  organizationMax: number;
}

/** Bounds the number of simultaneous transfers, and so their memory, disk space and connections. */
export class TransferSlots {
  readonly #limits: TransferLimits;
  readonly #byOrganization = new Map<string, number>();
  #taken = 0;

  constructor(limits: TransferLimits) {
    this.#limits = limits;
  }

  /** Takes a slot until it is disposed of. Raises RATE_LIMITED, or UNAVAILABLE if the process is at its limit. */
  take(organizationId: string): Disposable {
    const own = this.#byOrganization.get(organizationId) ?? 0;
    if (own >= this.#limits.organizationMax) {
      throw new AppError('RATE_LIMITED', 'Too many files are being transferred at once.', { retryAfterSeconds: 1 });
    }
    if (this.#taken >= this.#limits.processMax) {
      throw unavailable('The gateway transfers all the files it can. Try again.');
    }
    this.#taken += 1;
    this.#byOrganization.set(organizationId, own + 1);
    return { [Symbol.dispose]: () => this.#release(organizationId) };
  }

  #release(organizationId: string): void {
    const own = this.#byOrganization.get(organizationId) ?? 0;
    this.#taken -= 1;
    if (own > 1) this.#byOrganization.set(organizationId, own - 1);
    else this.#byOrganization.delete(organizationId);
  }
}
