import type { Logger } from 'pino';
import { AppError, invalid } from '../../core/errors.ts';
import type { SecretBox } from '../../core/secret-box.ts';
import type { Clock } from '../../core/time/clock.ts';
import { takeSnapshot } from '../../database/changes/change-feed.ts';
import type { Database } from '../../database/database.ts';
import { getOrganization } from '../../organizations/index.ts';
import { publishWaba } from '../follow/park-account.ts';
import { clearNumbersParked } from '../follow/parking-queries.ts';
import { tokenContext } from '../keys/token.ts';
import type { PlatformDeps } from '../platform.ts';
import { findWabaById, listNumbersOfWaba, upsertWaba } from '../queries.ts';
import { lockNumbers } from '../release-queries.ts';
import type { SendingNumber } from '../sending-number.ts';
import { isUpstreamId, type Waba } from '../waba.ts';
import { readReach } from './reach-queries.ts';
import { type ReadAllTemplates, readWaba, type WabaUpstream } from './read-waba.ts';
import { type ReplaceTemplates, storeReading } from './store-reading.ts';
import { takeValue } from './take-value.ts';
import { logReach } from './webhook-reach.ts';

/**
 * Has what the upstream told of a WABA since a snapshot applied, in the background, now that it is known whose it is: told meanwhile, it
 * was nobody's.
 */
type ApplyMissed = (waba: Pick<Waba, 'organizationId' | 'wabaId'>, since: string) => void;

export interface ConnectDeps extends PlatformDeps {
  db: Database;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Address of the gateway, for telling overrides that lead to it from others; null if it is not configured. */
  publicUrl: string | null;
  secretBox: SecretBox;
  upstream: WabaUpstream;
  readAllTemplates: ReadAllTemplates;
  replaceTemplates: ReplaceTemplates;
  applyMissed: ApplyMissed;
}

/** A WABA as it was just read. */
export interface ConnectedWaba {
  wabaId: string;
  /** Every number known, whether or not the upstream still has it. */
  numbers: SendingNumber[];
  /** True if the app is subscribed to its webhooks; null if that was never read. */
  webhooksSubscribed: boolean | null;
  /** How many templates were read. */
  templates: number;
}

/**
 * Connects a WABA to an organization: subscribes to its webhooks, reads its numbers and templates, seals its token. The same again
 * refreshes all of that, and with the new token everything the old one's failure had parked goes on. A reading that
 * began later and is stored by then stays. Where the WABA is new, or one of its numbers, what is told while it is read is applied
 * afterwards, within seconds, unless this process ends first.
 *
 * Raises NOT_FOUND (organization), VALIDATION_ERROR (WABA id), CONFLICT when it belongs to another organization, or one of its numbers
 * does and has not moved, or it was disconnected meanwhile; PROVIDER_REJECTED with the upstream's words when it refuses the token,
 * UNAVAILABLE when it cannot be asked.
 */
export async function connectWaba(
  deps: ConnectDeps,
  organizationId: string,
  input: { wabaId: string; accessToken: string },
): Promise<ConnectedWaba> {
  const { db, secretBox, upstream, platform } = deps;
  const { wabaId, accessToken } = input;
  const organization = await getOrganization(deps, organizationId);
  if (!isUpstreamId(wabaId)) throw invalid('"waba_id" must be the id of a business account.');
  const connected = await findWabaById(db, wabaId);
  if (connected !== undefined && connected.organizationId !== organization.id) throw connectedElsewhere();

  // After the look at whose it is: what was told while it was another organization's is not to be theirs.
  const since = await takeSnapshot(db);
  // Subscribing first: what changes while we read comes as a webhook.
  takeValue(await upstream.subscribeApp(wabaId, accessToken));
  const reading = await readWaba(deps, organization.id, wabaId, accessToken);
  const tokenSealed = secretBox.seal(accessToken, tokenContext(organization.id, wabaId));
  const { numbers, isNew, before, after } = await db.transaction(async (tx) => {
    const stored = await upsertWaba(tx, organization.id, wabaId, tokenSealed, platform, reading.begunAt);
    if (stored === undefined) throw connectedElsewhere();
    // Its webhooks may have been unsubscribed from after we subscribed to them.
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
  return { wabaId, numbers, webhooksSubscribed: after.isSubscribed, templates: reading.templates.length };
}

function connectedElsewhere(): AppError {
  return new AppError('CONFLICT', 'This business account is connected to another organization.');
}

function disconnectedMeanwhile(): AppError {
  return new AppError('CONFLICT', 'This business account was disconnected meanwhile. Connect it again.');
}
