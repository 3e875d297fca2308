import { AppError } from '../../core/errors.ts';
import { FORM_BYTES_MAX } from './upload-form.ts';

/** Bytes of an upload between two looks at the free disk space. */
const LOOK_BYTES = 1024 * 1024;

/** Bounds the disk space of one organization's waiting uploads: no more than they leave free, except a single upload. */
export class DiskShares {
  readonly #freeBytes: () => Promise<number>;
  readonly #held = new Map<string, number>();

  /** `freeBytes` returns the free space of the disk. */
  constructor(freeBytes: () => Promise<number>) {
    this.#freeBytes = freeBytes;
  }

  /** Opens the share of one upload, which is held until it is disposed of. */
  open(organizationId: string): DiskShare {
    let bytes = 0;
    const add = (more: number) => {
      bytes += more;
      const held = (this.#held.get(organizationId) ?? 0) + more;
      if (held > 0) this.#held.set(organizationId, held);
      else this.#held.delete(organizationId);
      return held;
    };
    const isTooMuch = async (held: number) => held > FORM_BYTES_MAX && held > (await this.#freeBytes());
    return {
      async *count(body) {
        let unseen = 0;
        for await (const chunk of body) {
          const held = add(chunk.length);
          unseen += chunk.length;
          if (unseen >= LOOK_BYTES) {
            unseen = 0;
            if (await isTooMuch(held)) throw tooMuch();
          }
          yield chunk;
        }
      },
      [Symbol.dispose]: () => void add(-bytes),
    };
  }
}

export interface DiskShare extends Disposable {
  /** Passes `body` on as it arrives. Raises RATE_LIMITED if there is no space for more of it. */
  count(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
}

function tooMuch(): AppError {
  return new AppError('RATE_LIMITED', 'Too much is being transferred at once.', { retryAfterSeconds: 1 });
}
