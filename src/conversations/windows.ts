import { unavailable } from '../core/errors.ts';
import type { Clock } from '../core/time/clock.ts';
import { MicroBatcher } from '../database/batching/micro-batcher.ts';
import type { Queryable } from '../database/database.ts';
import { type ConversationKey, findLastInbound } from './queries.ts';
import { isWindowOpen, windowOpenUntilMs } from './window.ts';

const OPEN_WINDOWS_MAX = 100_000;

export interface Windows {
  /** True if the person's 24-hour window with the number is open now (api-rules#window). Synchronous if it is cached as open. */
  isOpen(key: ConversationKey): boolean | Promise<boolean>;
}

/**
 * Creates a cache that answers window questions. Only open windows are cached. A window can only move forward, so a cached end is never
 * too late. A closed window may have opened since, so it is read again, in batches.
 */
export function createWindows(deps: { db: Queryable; clock: Clock }): Windows {
  const { db, clock } = deps;
  const openUntil = new Map<string, number>();
  const reads = new MicroBatcher<ConversationKey, number | undefined>({
    flush: (keys) => findLastInbound(db, keys),
    itemsMax: 256,
    lanes: 2,
    bound: {
      pendingMax: 20_000,
      overflow: () => unavailable('Too many requests are waiting. Try again.'),
    },
  });

  const read = async (name: string, key: ConversationKey) => {
    const lastInboundAtMs = await reads.submit(key);
    if (lastInboundAtMs === undefined) return false;
    const until = windowOpenUntilMs(lastInboundAtMs);
    const open = isWindowOpen(until, clock.now());
    if (open) remember(name, until);
    return open;
  };

  const remember = (name: string, until: number) => {
    openUntil.delete(name);
    openUntil.set(name, until);
    if (openUntil.size <= OPEN_WINDOWS_MAX) return;
    for (const oldest of openUntil.keys()) {
      openUntil.delete(oldest);
      break;
    }
  };

  return {
    isOpen(key) {
      const name = `${key.numberId}:${key.contact}`;
      if (isWindowOpen(openUntil.get(name), clock.now())) return true;
      return read(name, key);
    },
  };
}
