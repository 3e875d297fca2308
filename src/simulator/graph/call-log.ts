import type { FastifyRequest } from 'fastify';

/** One Graph call other than a send, as it arrived. */
export interface CallRecord {
  /** Counts up from 1. */
  sequence: number;
  method: string;
  /** Path and query as sent. */
  url: string;
  contentType: string | undefined;
  /** The exact bytes. */
  body: Buffer;
}

const RECORDS_MAX = 10_000;

/** The newest Graph calls other than sends. */
export class CallLog {
  #records: CallRecord[] = [];
  #sequence = 0;

  append({ method, originalUrl, headers, body }: FastifyRequest): void {
    this.#sequence += 1;
    const bytes = Buffer.isBuffer(body) ? Buffer.from(body) : Buffer.alloc(0);
    this.#records.push({
      sequence: this.#sequence,
      method,
      url: originalUrl,
      contentType: headers['content-type'],
      body: bytes,
    });
    if (this.#records.length >= RECORDS_MAX * 2) this.#records = this.#records.slice(-RECORDS_MAX);
  }

  /** Returns the kept calls, oldest first: all, or those after a sequence. */
  list(after = 0): CallRecord[] {
    return this.#records.filter(({ sequence }) => sequence > after);
  }

  clear(): void {
    this.#records = [];
    this.#sequence = 0;
  }
}
