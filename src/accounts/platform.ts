import type { Queryable } from '../database/database.ts';
import { listOtherPlatforms } from './platform-queries.ts';

/** What this process calls the platform. */
export interface PlatformDeps {
  /** Which platform accounts are connected through here, as `platformOf` names it. */
  platform: string;
}

/** Its port is another at each start. No host has a space in its name. */
const BUILT_IN_SIMULATOR = 'built-in simulator';

/** The name by which accounts remember the platform they were connected through: its host, for versions and paths change. */
export function platformOf({ baseUrl, isBuiltIn }: { baseUrl: string; isBuiltIn: boolean }): string {
  return isBuiltIn ? BUILT_IN_SIMULATOR : new URL(baseUrl).host;
}

/**
 * Whether a process at `platform` may use the token of an account connected through `connected`, `null` where nobody noted it. The
 * built-in simulator is what a forgotten setting comes to, so it gets its own accounts alone; a platform that somebody has named is taken
 * at its word.
 */
export function isServedBy(platform: string, connected: string | null): boolean {
  return platform !== BUILT_IN_SIMULATOR || connected === platform;
}

/**
 * Why a process at the built-in simulator must not work on a database with accounts of another platform, and what to set; undefined when
 * all is well.
 */
export async function findForgottenPlatform({
  db,
  platform,
}: PlatformDeps & { db: Queryable }): Promise<Error | undefined> {
  if (platform !== BUILT_IN_SIMULATOR) return undefined;
  const others = await listOtherPlatforms(db, platform);
  if (others.length === 0) return undefined;
  const hosts = others.filter((other) => other !== null);
  const through = hosts.length > 0 ? `through ${hosts.join(', ')}` : 'before it was noted through which platform';
  return new Error(
    `UPSTREAM_BASE_URL is not set, and this database has business accounts that were connected ${through}: the built-in simulator ` +
      'would refuse their tokens or take their messages for sent. Set it to the address of their platform ' +
      '(https://graph.facebook.com/v24.0), or name another database (DATABASE_URL, DATA_DIR) to try things out.',
  );
}
