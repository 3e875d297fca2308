import type { Clock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import type { Outbox } from './outbox.ts';
import { listExpired } from './queue-queries.ts';

export interface ExpireDeps {
  db: Database;
  clock: Clock;
  outbox: Pick<Outbox, 'expire'>;
}

const EXPIRED_AT_ONCE_MAX = 256;

/** Fails the messages of these numbers that outlived their time while they could not be sent. */
export async function expireWaiting({ db, clock, outbox }: ExpireDeps, numberIds: number[]): Promise<void> {
  let ended: boolean[];
  do {
    const expired = await listExpired(db, numberIds, clock.now(), EXPIRED_AT_ONCE_MAX);
    ended = await Promise.all(expired.map((row) => outbox.expire(row)));
    // What could not be ended would only be found again.
  } while (ended.length >= EXPIRED_AT_ONCE_MAX && ended.every(Boolean));
}
