import type { Queryable } from '../../database/database.ts';
import { type ReportedMessage, type ReportedNext, readFlowHeads } from '../queue/next-queries.ts';
import type { NextMessages } from '../scheduler/index.ts';

type Message = Omit<NextMessages['turns'][number], 'seq' | 'atMs'>;
type Kept = Message & Omit<NextMessages['unread'][number], 'numberId'>;

/**
 * Turns the scheduler's answer into a report, with the messages that are in the table only.
 * @param phoneNumberIdOf undefined for a number that was closed meanwhile; its messages are left out
 * @param clockLeadMs milliseconds by which the wall clock is ahead of the scheduler's clock
 */
export async function describeNext(
  db: Queryable,
  { turns, keptBack, unread }: NextMessages,
  phoneNumberIdOf: (numberId: number) => string | undefined,
  clockLeadMs: number,
): Promise<ReportedNext> {
  const describe = ({ organizationId, numberId, flowId, messageId, acceptedAtMs }: Message): ReportedMessage[] => {
    const phoneNumberId = phoneNumberIdOf(numberId);
    return phoneNumberId === undefined ? [] : [{ organizationId, phoneNumberId, flowId, messageId, acceptedAtMs }];
  };
  const wallMs = (ms: number) => Math.round(ms + clockLeadMs);
  const heads = new Map((await readFlowHeads(db, unread)).map((head) => [head.numberId, head]));
  const found = unread.flatMap((flow): Kept[] => {
    const head = heads.get(flow.numberId);
    return head === undefined ? [] : [{ ...flow, messageId: head.messageId, acceptedAtMs: head.acceptedAt.getTime() }];
  });
  return {
    turns: turns.flatMap((turn) => describe(turn).map((message) => ({ ...message, expectedAtMs: wallMs(turn.atMs) }))),
    keptBack: [...keptBack, ...found].flatMap((kept: Kept) =>
      describe(kept).map((message) => ({
        ...message,
        reason: kept.detail === null ? kept.reason : `${kept.reason}: ${kept.detail}`,
        untilMs: kept.untilMs === null ? null : wallMs(kept.untilMs),
      })),
    ),
  };
}
