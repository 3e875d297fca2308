/** Longest delay of an arrival by a busy processor, ms, if the simulator has a process of its own. */
const LATE_ARRIVAL_MS = 50;

/**
 * Returns true if a throughput refusal at `atMs` is certain, even if the messages before it had arrived evenly. A process that waits for a
 * busy processor reads evenly spaced arrivals in small bunches. `takenAtMs` are the arrivals of the number's accepted messages, ms of the
 * same clock; `lateMs` is the longest delay of an arrival.
 */
export function wasTooMany(
  takenAtMs: readonly number[],
  { atMs, limit }: { atMs: number; limit: number },
  lateMs = LATE_ARRIVAL_MS,
): boolean {
  const sinceMs = atMs - 1_000 + lateMs;
  return takenAtMs.filter((takenMs) => takenMs > sinceMs && takenMs <= atMs).length >= limit;
}
