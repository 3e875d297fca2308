import { ownBytes } from '../../core/own-bytes.ts';
import { systemClock } from '../../core/time/clock.ts';

export type SendOutcome =
  | { kind: 'accepted'; wamid: string }
  | { kind: 'read' }
  | { kind: 'rejected'; httpStatus: number; code: number | null }
  /** A fault swallowed the request: it had no effect and no answer. */
  | { kind: 'dropped' };

/** The edge of a number that a message is posted to. */
export type SendRoad = 'messages' | 'marketing_messages';

/** One request to `/{phone_number_id}/messages` or `/marketing_messages` as it arrived, and its outcome. */
export interface SendRecord {
  /** Counts up from 1; the `after` of a query. */
  readonly sequence: number;
  /** `process.hrtime.bigint()` once the request's headers had been read. */
  readonly arrivedNs: bigint;
  /** Wall clock at the same moment, milliseconds since the epoch. */
  readonly arrivedAt: number;
  readonly phoneNumberId: string;
  readonly road: SendRoad;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The exact bytes; empty if they never arrived. */
  readonly body: Buffer;
  readonly bodyBytes: number;
  /** Hex; empty if no body arrived. */
  readonly bodySha256: string;
  /** `to` as sent, or the user id in `recipient`. */
  readonly to: string | null;
  /** The recipient's digits on the platform, however it was addressed. */
  readonly waId: string | null;
  /** The message type, `mark_read`, or `null` if the body could not be read. */
  readonly type: string | null;
  readonly callbackData: string | null;
  readonly outcome: SendOutcome;
  /** The fault that shaped the answer, if any. An accepted send may still get no answer. */
  readonly fault: string | null;
}

export interface SendFilter {
  phoneNumberId?: string;
  /** Digits, `+digits` or the `to` as sent. */
  to?: string;
  /** Only records with a greater sequence. */
  after?: number;
  outcome?: SendOutcome['kind'];
  limit?: number;
}

const WAIT_MS_MAX = 60_000;
/** Most bytes of kept bodies. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;

interface Waiter {
  predicate: (record: SendRecord) => boolean;
  resolve: (record: SendRecord) => void;
}

/** Every send that the simulator received. Keeps the newest `recordsMax`, fewer if their bodies are large. */
export class SendLog {
  readonly #recordsMax: number;
  #records: SendRecord[] = [];
  #keptBytes = 0;
  #sequence = 0;
  #waiters = new Set<Waiter>();

  constructor(recordsMax: number) {
    this.#recordsMax = recordsMax;
  }

  /** Requests received since the start or the last reset, including those no longer kept. */
  get total(): number {
    return this.#sequence;
  }

  append(entry: Omit<SendRecord, 'sequence'>): SendRecord {
    this.#sequence += 1;
    const record = { ...entry, body: ownBytes(entry.body), sequence: this.#sequence };
    this.#records.push(record);
    this.#keptBytes += record.body.length;
    if (this.#records.length >= this.#recordsMax * 2 || this.#keptBytes > KEPT_BYTES_MAX) this.#dropOlderHalf();
    for (const waiter of this.#waiters) {
      if (!waiter.predicate(record)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(record);
    }
    return record;
  }

  /** Kept records matching the filter, oldest first. */
  list(filter: SendFilter = {}): SendRecord[] {
    const digits = filter.to?.replace(/\D/g, '');
    const matching = this.#records
      .slice(-this.#recordsMax)
      .filter(
        (record) =>
          (filter.phoneNumberId === undefined || record.phoneNumberId === filter.phoneNumberId) &&
          (filter.to === undefined ||
            record.to === filter.to ||
            record.waId === digits ||
            digitsEqual(record.to, digits)) &&
          (filter.after === undefined || record.sequence > filter.after) &&
          (filter.outcome === undefined || record.outcome.kind === filter.outcome),
      );
    return filter.limit === undefined ? matching : matching.slice(0, filter.limit);
  }

  /**
   * Resolves with the first record, kept or future, that matches. Rejects after a minute of real time, because the platform's clock may run
   * many times as fast, or stand still.
   */
  waitFor(predicate: (record: SendRecord) => boolean): Promise<SendRecord> {
    const present = this.#records.find(predicate);
    if (present !== undefined) return Promise.resolve(present);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        predicate,
        resolve(record) {
          cancel();
          resolve(record);
        },
      };
      const cancel = systemClock.schedule(WAIT_MS_MAX, () => {
        this.#waiters.delete(waiter);
        reject(new Error(`No such send within ${WAIT_MS_MAX} ms; ${this.#sequence} seen.`));
      });
      this.#waiters.add(waiter);
    });
  }

  clear(): void {
    this.#records = [];
    this.#keptBytes = 0;
    this.#sequence = 0;
  }

  /** Drops half of the records at a time, so that the cost per send stays negligible. */
  #dropOlderHalf(): void {
    this.#records = this.#records.slice(Math.ceil(this.#records.length / 2));
    this.#keptBytes = this.#records.reduce((sum, { body }) => sum + body.length, 0);
  }
}

function digitsEqual(to: string | null, digits: string | undefined): boolean {
  return digits !== undefined && digits !== '' && to?.replace(/\D/g, '') === digits;
}
