import type { Queryable } from '../database/database.ts';
import { listOtherPlatforms } from './platform-queries.ts';

/** Name of this process's platform. */
export interface PlatformDeps {
  /** The platform through which accounts are connected here, as `platformOf` names it. */
  platform: string;
}

/** Name of the built-in simulator, whose port differs at each start. A host name contains no space, so they cannot collide. */
const BUILT_IN_SIMULATOR = 'built-in simulator';

/** Name of the simulator that serves the accounts of test organizations, in every process. */
export const TEST_PLATFORM = 'test simulator';

/** Returns the name under which accounts record their platform: its host, because versions and paths change. */
export function platformOf({ baseUrl, isBuiltIn }: { baseUrl: string; isBuiltIn: boolean }): string {
  return isBuiltIn ? BUILT_IN_SIMULATOR : new URL(baseUrl).host;
}

/**
 * True if a process at `platform` may use the token of an account connected through `connected`; `null` means not recorded. A process
 * without a platform setting uses the built-in simulator, perhaps by mistake, so it serves only its own accounts. A configured platform
 * serves all accounts. Every process serves test accounts, at a simulator of its own.
 */
export function isServedBy(platform: string, connected: string | null): boolean {
  return platform !== BUILT_IN_SIMULATOR || connected === platform || connected === TEST_PLATFORM;
}

/**
 * Returns an error if a process at the built-in simulator finds accounts of another platform in the database; it names the setting to
 * change. Undefined if there is no conflict.
 */
export async function findForgottenPlatform({
  db,
  platform,
}: PlatformDeps & { db: Queryable }): Promise<Error | undefined> {
  if (platform !== BUILT_IN_SIMULATOR) return undefined;
  const others = await listOtherPlatforms(db, [platform, TEST_PLATFORM]);
  if (others.length === 0) return undefined;
  const hosts = others.filter((other) => other !== null);
  const through = hosts.length > 0 ? `through ${hosts.join(', ')}` : 'before it was noted through which platform';
  return new Error(
    `UPSTREAM_BASE_URL is not set, and this database has business accounts that were connected ${through}: the built-in simulator ` +
      'would refuse their tokens or take their messages for sent. Set it to the address of their platform ' +
      '(https://graph.facebook.com/v24.0), or name another database (DATABASE_URL, DATA_DIR) to try things out.',
  );
}
