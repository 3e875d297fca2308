import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { MicroBatcher } from '../../database/batching/micro-batcher.ts';
import type { Database } from '../../database/database.ts';
import type { SettledMessage } from '../../dispatch/index.ts';
import { noteTemplateRefused } from '../../templates/index.ts';
import { findRefusedTemplates, type RefusedMessage } from '../queries.ts';

/** How the upstream's codes about templates begin. */
const TEMPLATE_CODES = '1320';
/** All that are queued for one template are refused, as fast as they can be sent: one transaction at a time notes what many say. */
const SPACING_MS = 100;
const NOTED_AT_ONCE_MAX = 1_000;

/**
 * Passes on to the templates what the upstream's refusals of messages say about them. To be told of every end of a message; those that
 * say nothing of a template are passed over.
 */
export function createTemplateRefusals(deps: {
  db: Database;
  clock: Clock;
  log: Logger;
}): (message: SettledMessage) => void {
  const { db, clock, log } = deps;
  const noteAll = async (refused: readonly RefusedMessage[]) => {
    const refusals = await findRefusedTemplates(db, refused, clock.now());
    if (refusals.length > 0) await db.transaction((tx) => noteTemplateRefused(tx, refusals, clock.now()));
  };
  const notes = new MicroBatcher<RefusedMessage, undefined>({
    async flush(refused) {
      await noteAll(refused).catch((error) => log.warn({ err: error }, 'refused templates not noted'));
      return refused.map(() => undefined);
    },
    itemsMax: NOTED_AT_ONCE_MAX,
    lanes: 1,
    spacing: { ms: SPACING_MS, clock },
  });
  return ({ organizationId, messageId, outcome, begunAtMs }) => {
    if (outcome.kind !== 'failed' || begunAtMs === undefined || !outcome.errorCode.startsWith(TEMPLATE_CODES)) return;
    void notes.submit({ organizationId, messageId, code: outcome.errorCode, begunAtMs });
  };
}
