/** For a process of its own on a busy machine. */
const LATE_ARRIVAL_MS = 50;

/**
 * Whether a refusal at `atMs` for being one too many within a second holds even if what came just before had come evenly: a
 * process that has to wait for a busy processor sees what arrives evenly in little bunches. `takenAtMs` are the arrivals of the
 * number's messages that were taken, milliseconds of the same clock; `lateMs` is how late one may be read.
 */
export function wasTooMany(
  takenAtMs: readonly number[],
  { atMs, limit }: { atMs: number; limit: number },
  lateMs = LATE_ARRIVAL_MS,
): boolean {
  const sinceMs = atMs - 1_000 + lateMs;
  return takenAtMs.filter((takenMs) => takenMs > sinceMs && takenMs <= atMs).length >= limit;
}
