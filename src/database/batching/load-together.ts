import { MicroBatcher } from './micro-batcher.ts';

/** Hundreds of keys are read in hardly more time than one. */
const KEYS_MAX = 500;

/**
 * A load of one key made of a reading of many: keys asked for while a statement is under way are read by the next one. So a cache that
 * is empty fills by a few statements, however many tenants come at once, and keys that nobody has take two connections at most.
 * The load reads after it was called, and resolves with undefined for a key that `read` has nothing for.
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
