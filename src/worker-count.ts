/** Most workers that `auto` chooses. At two thirds of a core of PostgreSQL for each, more would wait for the one PostgreSQL. */
const AUTO_MAX = 16;
/** Connections to PostgreSQL without which a worker cannot do its tasks side by side. */
export const WORKER_CONNECTIONS_MIN = 4;

/**
 * Returns the number of workers. `auto` leaves a third of the cores to the embedded PostgreSQL, which takes half as much time for a message
 * as the gateway; with another PostgreSQL, it leaves one core to the system and the supervisor.
 * @param connectionsMax connections to PostgreSQL of all workers together; `null` sets no limit
 */
export function countWorkers(
  setting: number | 'auto',
  { cores, isEmbedded, connectionsMax }: { cores: number; isEmbedded: boolean; connectionsMax: number | null },
): number {
  if (setting !== 'auto') return setting;
  const forWorkers = isEmbedded ? Math.floor((cores * 2) / 3) : cores - 1;
  const connected = connectionsMax === null ? AUTO_MAX : Math.floor(connectionsMax / WORKER_CONNECTIONS_MIN);
  return Math.max(1, Math.min(AUTO_MAX, forWorkers, connected));
}
