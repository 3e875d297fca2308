import { randomBytes } from 'node:crypto';
import { type AccountChange, connectWaba, followAccountChanges } from '../../src/accounts/index.ts';
import { newId } from '../../src/core/ids.ts';
import { createSecretBox } from '../../src/core/secret-box.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { ChangeTopic } from '../../src/database/changes/change-feed.ts';
import { createOrganization } from '../../src/organizations/index.ts';
import type { Scope } from './database.ts';
import { makeEventDays } from './event-days.ts';
import { openFollowedDatabase } from './followed-database.ts';
import { createUpstreamWaba } from './upstream-waba.ts';

type UpstreamWaba = ReturnType<typeof createUpstreamWaba>;

/** A database of a test file's own in which accounts are connected, and told of. */
export async function openAccountsDatabase(scope: Scope) {
  const { db, changes } = await openFollowedDatabase(scope);
  await makeEventDays(db);
  const secretBox = createSecretBox([randomBytes(32)]);

  /** An account that is connected to an organization of its own, as the upstream has it then. */
  async function connect(name: string, has: Partial<UpstreamWaba['state']> = {}) {
    const upstreamWaba = createUpstreamWaba({ db, secretBox });
    const { state, deps, wabaId } = upstreamWaba;
    Object.assign(state, has);
    const organizationId = (await createOrganization({ db, clock: systemClock }, { name })).id;
    const waba = await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
    return { ...upstreamWaba, organizationId, waba };
  }

  const tell = (change: AccountChange) => db.transaction((tx) => followAccountChanges(tx, [change], systemClock.now()));

  /** The keys of the topic that are told from now on, of which `catchUp` waits for those told by then. */
  async function keysToldOf(topic: ChangeTopic): Promise<string[]> {
    const told: string[] = [];
    changes.on(
      topic,
      (key) => told.push(key),
      () => {},
    );
    await changes.catchUp();
    told.length = 0;
    return told;
  }

  return { db, changes, secretBox, connect, tell, keysToldOf };
}

/** What the upstream tells of an account now. */
export function changeOf(wabaId: string, field: string, value: Record<string, unknown>): AccountChange {
  const atMs = systemClock.now();
  return { id: newId(), wabaId, field, atMs, value, raw: JSON.stringify(value), rawOf: () => undefined };
}

/** That the upstream has disabled an account. */
export function banOf(wabaId: string): AccountChange {
  return changeOf(wabaId, 'account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } });
}
