import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { MicroBatcher } from '../../database/batching/micro-batcher.ts';
import type { Database } from '../../database/database.ts';
import type { SettledMessage } from '../../dispatch/index.ts';
import { noteTemplateRefused } from '../../templates/index.ts';
import { findRefusedTemplates, type RefusedMessage } from '../queries.ts';

/** Prefix of the upstream's template error codes. */
const TEMPLATE_CODES = '1320';
/**
 * Milliseconds between transactions. Every queued message of a refused template fails as fast as it can be sent, so one transaction records
 * many refusals.
 */
const SPACING_MS = 100;
const NOTED_AT_ONCE_MAX = 1_000;

/**
 * Returns a function that records, from refused messages, which templates the upstream refuses. Call it for every settled message; it
 * ignores outcomes that do not concern a template.
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
      await noteAll(refused).catch((error) => log.warn({ err: error }, 'template refusals not recorded'));
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
