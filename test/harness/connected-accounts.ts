import { randomBytes } from 'node:crypto';
import { type AccountChange, accountFollower, connectWaba } from '../../src/accounts/index.ts';
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

/** Opens a database for one test file, in which accounts can be connected and changed. */
export async function openAccountsDatabase(scope: Scope) {
  const { db, changes } = await openFollowedDatabase(scope);
  await makeEventDays(db);
  const secretBox = createSecretBox([randomBytes(32)]);

  /** Connects an account to a new organization, with `has` as its state at the upstream. */
  async function connect(name: string, has: Partial<UpstreamWaba['state']> = {}) {
    const upstreamWaba = createUpstreamWaba({ db, secretBox });
    const { state, deps, wabaId } = upstreamWaba;
    Object.assign(state, has);
    const organizationId = (await createOrganization({ db, clock: systemClock }, { name })).id;
    const waba = await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
    return { ...upstreamWaba, organizationId, waba };
  }

  const tell = (change: AccountChange) =>
    db.transaction((tx) => accountFollower.follow(tx, [change], systemClock.now()));

  /** Returns the list of keys of the topic that are published from now on. `catchUp` waits for those already committed. */
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

/** Makes an account change that the upstream reports now. */
export function changeOf(wabaId: string, field: string, value: Record<string, unknown>): AccountChange {
  const atMs = systemClock.now();
  return { id: newId(), wabaId, field, atMs, value, raw: JSON.stringify(value), rawOf: () => undefined };
}

/** Makes the upstream's report that it has disabled an account. */
export function banOf(wabaId: string): AccountChange {
  return changeOf(wabaId, 'account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } });
}
