import { MicroBatcher } from './micro-batcher.ts';

/** Batch size: reading hundreds of keys takes hardly longer than reading one. */
const KEYS_MAX = 500;

/**
 * Turns `read`, which reads many keys, into a load of one key. Keys requested while a statement runs are read by the next statement. An
 * empty cache therefore fills with a few statements, even if many tenants arrive at once, and requests for unknown keys use at most
 * two connections. Each load reads after it was called. It resolves with undefined for a key that `read` does not return.
 */
export function loadTogether<Value>(
  read: (keys: string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  const reads = new MicroBatcher<string, Value | undefined>({
    async flush(keys) {
      const found = await read(keys);
      return keys.map((key) => found.get(key));
    },
    itemsMax: KEYS_MAX,
    lanes: 2,
  });
  return (key) => reads.submit(key);
}
