import { AppError } from '../core/errors.ts';
import type { Database } from './database.ts';

/** As long as the pool itself takes to give up. */
const WAIT_MS_MAX = 5_000;

/**
 * `db` for work of which at most `connectionsMax` statements and transactions go on at once, so that however much of it is asked for,
 * connections are left to everybody else. What is beyond waits in the order it came, for a while: then it ends in UNAVAILABLE. Within
 * one of its transactions nothing else may be asked of it.
 */
export function boundDatabase(db: Database, connectionsMax: number): Database {
  const waiting = new Set<() => void>();
  let running = 0;

  const queueUp = () =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(tooMany());
      }, WAIT_MS_MAX);
      waiting.add(begin);
    });

  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < connectionsMax) running += 1;
    else await queueUp();
    try {
      return await work();
    } finally {
      // Whoever ends passes its place on.
      const [next] = waiting;
      if (next === undefined) {
        running -= 1;
      } else {
        waiting.delete(next);
        next();
      }
    }
  };

  return {
    query: (statement) => run(() => db.query(statement)),
    transaction: (work) => run(() => db.transaction(work)),
    waiting: () => waiting.size,
    close: () => db.close(),
  };
}

function tooMany(): AppError {
  return new AppError('UNAVAILABLE', 'Too many requests wait for the database. Try again.', { retryAfterSeconds: 1 });
}
