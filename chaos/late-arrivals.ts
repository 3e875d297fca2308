const LATE_ARRIVAL_MS = 50;

/**
 * Whether a refusal at `atMs` for being one too many within a second holds even if what came just before had come evenly: a
 * process that has to wait for a busy processor sees what arrives evenly in little bunches. `takenAtMs` are the arrivals of the
 * number's messages that were taken, milliseconds of the same clock.
 */
export function wasTooMany(takenAtMs: readonly number[], { atMs, limit }: { atMs: number; limit: number }): boolean {
  const sinceMs = atMs - 1_000 + LATE_ARRIVAL_MS;
  return takenAtMs.filter((takenMs) => takenMs > sinceMs && takenMs <= atMs).length >= limit;
}
