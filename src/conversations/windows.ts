import { unavailable } from '../core/errors.ts';
import type { Clock } from '../core/time/clock.ts';
import { MicroBatcher } from '../database/batching/micro-batcher.ts';
import type { Queryable } from '../database/database.ts';
import { type ConversationName, findLastInbound } from './queries.ts';
import { isWindowOpen, windowOpenUntilMs } from './window.ts';

const OPEN_WINDOWS_MAX = 100_000;

export interface Windows {
  /** True if the person's 24-hour window with the number is open now (api-rules#window). Synchronous if it is cached as open. */
  isOpen(name: ConversationName): boolean | Promise<boolean>;
  /** Forgets all windows, because one of them may have been erased. */
  forget(): void;
}

/**
 * Creates a cache that answers window questions. Only open windows are cached. A window can only move forward, so a cached end is never
 * too late, unless a phone number passes to another person. A closed window may have opened since, so it is read again, in batches.
 */
export function createWindows(deps: { db: Queryable; clock: Clock }): Windows {
  const { db, clock } = deps;
  const openUntil = new Map<string, number>();
  const reads = new MicroBatcher<ConversationName, number | undefined>({
    flush: (names) => findLastInbound(db, names),
    itemsMax: 256,
    lanes: 2,
    bound: {
      pendingMax: 20_000,
      overflow: () => unavailable('Too many requests are waiting. Try again.'),
    },
  });

  const read = async (key: string, name: ConversationName) => {
    const lastInboundAtMs = await reads.submit(name);
    if (lastInboundAtMs === undefined) return false;
    const until = windowOpenUntilMs(lastInboundAtMs);
    const open = isWindowOpen(until, clock.now());
    if (open) remember(key, until);
    return open;
  };

  const remember = (key: string, until: number) => {
    openUntil.delete(key);
    openUntil.set(key, until);
    if (openUntil.size <= OPEN_WINDOWS_MAX) return;
    for (const oldest of openUntil.keys()) {
      openUntil.delete(oldest);
      break;
    }
  };

  return {
    isOpen(name) {
      const key = `${name.numberId}:${name.name}`;
      if (isWindowOpen(openUntil.get(key), clock.now())) return true;
      return read(key, name);
    },
    forget: () => openUntil.clear(),
  };
}
