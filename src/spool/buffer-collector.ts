import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const COLLECT_EVERY_BYTES = 16 * 1024 * 1024;

/**
 * Frees the buffers of chunks that were passed on. V8 by itself does so only once 64 MiB of them have gathered, whatever
 * its flags say: fifty uploads at once then take 100 MiB, nearly all of it garbage. Collecting the young generation every
 * 16 MiB keeps that near what is really held, for a pause of a millisecond or so (measured by bench/media-memory.ts).
 */
export class BufferCollector {
  readonly #collect: () => void;
  #uncollectedBytes = 0;

  constructor(collect: () => void = findYoungCollection()) {
    this.#collect = collect;
  }

  /** Tells of a chunk that passes through. */
  count(bytes: number): void {
    this.#uncollectedBytes += bytes;
    if (this.#uncollectedBytes < COLLECT_EVERY_BYTES) return;
    this.#uncollectedBytes = 0;
    this.#collect();
  }
}

/** V8 shows its collector to contexts made after the flag was set; this one stays as it is. */
function findYoungCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NodeJS.GCFunction;
  setFlagsFromString('--no-expose-gc');
  return () => void gc({ type: 'minor' });
}
