import type { Logger } from 'pino';
import { type Apps, refuseDeletedApp } from '../../apps/index.ts';
import { AppError, invalid } from '../../core/errors.ts';
import type { SecretBox } from '../../core/secret-box.ts';
import type { Clock } from '../../core/time/clock.ts';
import { takeSnapshot } from '../../database/changes/change-queries.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { getOrganization, type Organization } from '../../organizations/index.ts';
import { isTestWabaId, testAccountOf } from '../../test-accounts/index.ts';
import { isTestToken, type TokenApps, type Upstream } from '../../upstream/index.ts';
import { publishWaba } from '../follow/park-account.ts';
import { clearNumbersParked } from '../follow/parking-queries.ts';
import { tokenContext } from '../keys/token.ts';
import { type PlatformDeps, TEST_PLATFORM } from '../platform.ts';
import { findWabaById, listNumbersOfWaba, upsertWaba } from '../queries.ts';
import { lockNumbers } from '../release-queries.ts';
import type { SendingNumber } from '../sending-number.ts';
import { isUpstreamId, type Waba } from '../waba.ts';
import { appOfConnect } from './app-of-connect.ts';
import { readReach } from './reach-queries.ts';
import { type ReadAllTemplates, readWaba, type WabaUpstream } from './read-waba.ts';
import { type ReplaceTemplates, storeReading } from './store-reading.ts';
import { takeValue } from './take-value.ts';
import { logReach } from './webhook-reach.ts';

/**
 * Applies, in the background, the upstream's webhooks about a WABA since a snapshot. They arrived before the WABA had an organization, so
 * they could not be applied then.
 */
type ApplyMissed = (waba: Pick<Waba, 'organizationId' | 'wabaId'>, since: string) => void;

export interface ConnectDeps extends PlatformDeps {
  db: Database;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Public URL of the gateway, to distinguish overrides that lead here from others; null if it is not configured. */
  publicUrl: string | null;
  secretBox: SecretBox;
  tokenApps: Pick<TokenApps, 'note'>;
  upstream: WabaUpstream & Pick<Upstream, 'debugToken'>;
  apps: Pick<Apps, 'defaultAppId' | 'find' | 'list' | 'defaultCredentials'>;
  readAllTemplates: ReadAllTemplates;
  replaceTemplates: ReplaceTemplates;
  applyMissed: ApplyMissed;
}

/** A business account to connect. */
export interface ConnectInput {
  wabaId: string;
  accessToken: string;
  /** The app of the token, null for that of the environment; absent to learn it from the platform. */
  appId?: string | null | undefined;
}

/** Result of connecting or reading a WABA. */
export interface ConnectedWaba {
  wabaId: string;
  /** The app that its token belongs to; null stands for the app of the environment. */
  appId: string | null;
  /** Every known number, even if the upstream no longer has it. */
  numbers: SendingNumber[];
  /** True if the app is subscribed to its webhooks; null if that was never read. */
  webhooksSubscribed: boolean | null;
  /** Number of templates read. */
  templates: number;
}

/**
 * Connects a WABA to an organization: subscribes to its webhooks, reads its numbers and templates, seals its token. A repeated call
 * refreshes all of these, and unparks everything that the old token's failure had parked. If a reading that began later is already stored,
 * it stays. If the WABA or one of its numbers is new, webhooks that arrive during the reading are applied afterwards, within seconds,
 * unless this process ends first.
 *
 * The token belongs to the app `appId`, or to the known app that the platform names, or else to the app that is stored.
 *
 * Raises NOT_FOUND (organization), VALIDATION_ERROR (WABA id, app); CONFLICT if the WABA belongs to another organization, or a number does and
 * has not moved, or the WABA was disconnected meanwhile; PROVIDER_REJECTED with the upstream's words if it refuses the token; UNAVAILABLE
 * if it cannot be reached.
 */
export async function connectWaba(
  deps: ConnectDeps,
  organizationId: string,
  input: ConnectInput,
): Promise<ConnectedWaba> {
  return connect(deps, await getOrganization(deps, organizationId), input);
}

/**
 * Connects the account of a new test organization, which `insert` stores in the same transaction. Without this, a process that ends in
 * between would leave an organization that has no account. Raises UNAVAILABLE.
 */
export function connectTestAccount(
  deps: ConnectDeps,
  organization: Organization,
  insert: (tx: Queryable) => Promise<void>,
): Promise<ConnectedWaba> {
  return connect(deps, organization, testAccountOf(organization.id), insert);
}

async function connect(
  deps: ConnectDeps,
  organization: Organization,
  input: ConnectInput,
  insertOwner?: (tx: Queryable) => Promise<void>,
): Promise<ConnectedWaba> {
  const { db, secretBox, upstream } = deps;
  const { wabaId, accessToken } = input;
  const platform = organization.test ? TEST_PLATFORM : deps.platform;
  if (!isUpstreamId(wabaId)) throw invalid('"waba_id" must be the id of a business account.');
  checkAccountKind(organization, input);
  if (organization.test && (input.appId ?? null) !== null) throw invalid('A test organization has no Meta app.');
  const connected = await findWabaById(db, wabaId);
  if (connected !== undefined && connected.organizationId !== organization.id) throw connectedElsewhere();

  const appId = organization.test ? undefined : await appOfConnect(deps, input, connected);

  // Take the snapshot after the check of the owner: webhooks that arrived while another organization had the WABA must not be applied to
  // this one.
  const since = await takeSnapshot(db);
  // Subscribe before reading, so that changes during the reading arrive as webhooks.
  takeValue(await upstream.subscribeApp(wabaId, accessToken));
  const reading = await readWaba(deps, organization.id, wabaId, accessToken);
  const tokenSealed = secretBox.seal(accessToken, tokenContext(organization.id, wabaId));
  const { numbers, isNew, before, after } = await db.transaction(async (tx) => {
    await insertOwner?.(tx);
    const stored = await upsertWaba(tx, organization.id, wabaId, tokenSealed, platform, reading.begunAt, appId).catch(
      refuseDeletedApp,
    );
    if (stored === undefined) throw connectedElsewhere();
    // The disconnect may have unsubscribed from the webhooks after this call had subscribed.
    if (stored.isNew && connected !== undefined) throw disconnectedMeanwhile();
    const known = new Set((await listNumbersOfWaba(tx, organization.id, wabaId)).map(({ numberId }) => numberId));
    const before = await readReach(tx, organization.id, wabaId);
    if (stored.isNewest) await storeReading(deps, tx, organization.id, wabaId, reading);
    else {
      await lockNumbers(tx, [wabaId]);
      await publishWaba(tx, { organizationId: organization.id, wabaId });
    }
    await clearNumbersParked(tx, organization.id, wabaId);
    const numbers = await listNumbersOfWaba(tx, organization.id, wabaId);
    const after = await readReach(tx, organization.id, wabaId);
    return { numbers, isNew: stored.isNew || numbers.some(({ numberId }) => !known.has(numberId)), before, after };
  });
  if (isNew) deps.applyMissed({ organizationId: organization.id, wabaId }, since);
  logReach(deps.log, { organizationId: organization.id, wabaId }, before, after);
  return {
    wabaId,
    appId: appId ?? connected?.appId ?? null,
    numbers,
    webhooksSubscribed: after.isSubscribed,
    templates: reading.templates.length,
  };
}

/** Refuses an account of the platform for a test organization, and a test account for any other organization. */
function checkAccountKind({ id, test }: Organization, input: { wabaId: string; accessToken: string }): void {
  if (!test) {
    if (!isTestWabaId(input.wabaId) && !isTestToken(input.accessToken)) return;
    throw invalid('This is a business account of the simulator, which only test organizations have.');
  }
  const own = testAccountOf(id);
  if (input.wabaId === own.wabaId && input.accessToken === own.accessToken) return;
  throw invalid(
    `A test organization has only its own business account of the simulator: "waba_id" must be ${own.wabaId}, and "access_token" ` +
      `${own.accessToken}.`,
  );
}

function connectedElsewhere(): AppError {
  return new AppError('CONFLICT', 'This business account is connected to another organization.');
}

function disconnectedMeanwhile(): AppError {
  return new AppError('CONFLICT', 'This business account was disconnected meanwhile. Connect it again.');
}
