import { AppError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { publishChanges } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import type { ListedTemplate } from '../../upstream/index.ts';
import { clearParkedElsewhere } from '../follow/parking-queries.ts';
import { storeOnboarding } from '../marketing/marketing-queries.ts';
import { unregisterOtherNumbers, upsertNumbers } from '../queries.ts';
import { lockNumbers, releaseMoved } from '../release-queries.ts';
import { noteSubscribed } from './reach-queries.ts';
import type { WabaReading } from './read-waba.ts';
import { overrideOf } from './webhook-override.ts';

/**
 * Makes the stored templates of a WABA match those read at `readAtMs` (epoch ms), in the caller's transaction. `goneIds` are the templates
 * that no longer exist upstream.
 */
export type ReplaceTemplates = (
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  templates: readonly ListedTemplate[],
  readAtMs: number,
  goneIds: readonly string[],
) => Promise<void>;

/**
 * Makes the stored numbers and templates of a WABA match a reading, and notifies every node. The caller holds the WABA's row, so that
 * readings are stored one after the other. A number or template that the platform reports incompletely stays as stored. A number that moved
 * here from another organization's WABA is released there. Raises CONFLICT if a number belongs to another organization and has not moved.
 */
export async function storeReading(
  { replaceTemplates, publicUrl }: { replaceTemplates: ReplaceTemplates; publicUrl: string | null },
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  reading: WabaReading,
): Promise<void> {
  const readAt = new Date(reading.readAtMs);
  const present = reading.numbers.map((number) => number.id);
  const whole = reading.numbers.filter((number) => number.displayPhoneNumber !== null);
  const numbers = whole.map(({ webhooks, ...number }) => ({
    ...number,
    accountId: newId(reading.readAtMs),
    webhookOverride: overrideOf(webhooks, reading.subscription, publicUrl),
  }));
  await lockNumbers(tx, [wabaId], present);
  if (reading.moved.length > 0) await releaseMoved(tx, reading.moved, readAt);
  const left = await clearParkedElsewhere(tx, organizationId, wabaId, present);
  const stored = await upsertNumbers(tx, organizationId, wabaId, numbers, readAt);
  if (stored.length < whole.length) {
    throw new AppError(
      'CONFLICT',
      'A number of this business account is connected to another organization, with a business account that lists it, too.',
    );
  }
  const gone = await unregisterOtherNumbers(tx, organizationId, wabaId, present, readAt);
  const { templates, readAtMs, goneTemplateIds, subscription, onboarding } = reading;
  if (subscription !== undefined) await noteSubscribed(tx, organizationId, wabaId, subscription.isSubscribed);
  if (onboarding !== undefined) await storeOnboarding(tx, { organizationId, wabaId }, onboarding.status);
  await replaceTemplates(tx, organizationId, wabaId, templates, readAtMs, goneTemplateIds);
  const lost = reading.moved.map((number) => number.wabaId);
  await publishChanges(tx, 'waba', [...new Set([wabaId, ...left, ...lost])]);
  await publishChanges(tx, 'number', [...present, ...gone]);
}
