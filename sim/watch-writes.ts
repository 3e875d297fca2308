/** Calls `watch` before every write to a table. */
export function watchWrites<Key, Value>(
  map: Map<Key, Value>,
  watch: (old: Value | undefined, next: Value) => void,
): void {
  const set = map.set.bind(map);
  map.set = (key, value) => {
    watch(map.get(key), value);
    return set(key, value);
  };
}
