import type { Clock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import type { SettledMessage } from '../dispatch/index.ts';
import { noteTemplateRefused } from '../templates/index.ts';
import { findSentTemplate } from './queries.ts';

/** How the upstream's codes about templates begin. */
const TEMPLATE_CODES = '1320';

/** Passes on to the template what the upstream's refusal of a message says about it. Other ends of a message are passed over. */
export async function noteTemplateRefusal(
  { db, clock }: { db: Database; clock: Clock },
  { organizationId, messageId, outcome }: SettledMessage,
): Promise<void> {
  if (outcome.kind !== 'failed' || !outcome.errorCode.startsWith(TEMPLATE_CODES)) return;
  const template = await findSentTemplate(db, organizationId, messageId);
  if (template === undefined) return;
  const refusal = { organizationId, ...template, code: outcome.errorCode };
  await db.transaction((tx) => noteTemplateRefused(tx, [refusal], clock.now()));
}
