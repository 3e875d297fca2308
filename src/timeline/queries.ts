import type { Queryable } from '../database/database.ts';
import { STATUS } from '../messages/index.ts';
import type { Contradiction } from './timeline-entry.ts';

/** A message with the facts that its timeline starts from. */
export interface TimelineMessage {
  id: string;
  numberId: number;
  outbound: boolean;
  /** The names of the person. */
  names: string[];
  queued: boolean;
  acceptedAtMs: number;
  contradictions: Contradiction[];
  /** Null for a message that the gateway did not send. */
  price: MessagePrice | null;
  /** `biz_opaque_callback_data` of the send. */
  callbackData: string | null;
}

/** The price of a message in the ledger. */
interface MessagePrice {
  /** Millionths of the budget's currency unit; 0 for a failed message. */
  micros: number;
  category: string | null;
  /** Null until the platform reports it. Until then the price is that of the acceptance. */
  pricingType: string | null;
}

/** An element of `message.history`: a report that arrived after the status was final. */
interface HistoryEntry {
  /** The message's status when the report arrived. */
  status: number;
  delivered_at?: string | null;
  read_at?: string | null;
  failed_at?: string | null;
  error_code?: string | null;
}

/** Returns one message of the organization, or undefined if no message has this id. */
export async function findTimelineMessage(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<TimelineMessage | undefined> {
  const rows = await db.query<{
    number_id: number;
    direction: number;
    names: string[];
    status: number;
    accepted_at: Date;
    history: HistoryEntry[] | null;
    origin: number | null;
    price_micros: number;
    category: string | null;
    pricing_type: string | null;
    callback_data: string | null;
  }>({
    name: 'timeline_find_message',
    text: `
      SELECT number_id, direction, array_remove(ARRAY[contact::text, person, user_id], NULL) AS names, status, accepted_at, history,
             origin, price_micros, category, pricing_type, callback_data
      FROM message WHERE organization_id = $1 AND id = $2`,
    values: [organizationId, id],
  });
  const row = rows[0];
  return (
    row && {
      id,
      numberId: row.number_id,
      outbound: row.direction === 0,
      names: row.names,
      queued: row.direction === 0 && row.status === 0,
      acceptedAtMs: row.accepted_at.getTime(),
      contradictions: (row.history ?? []).flatMap(toContradictions),
      price:
        row.direction === 0 && row.origin === null
          ? {
              micros: row.status === STATUS.failed ? 0 : row.price_micros,
              category: row.category,
              pricingType: row.pricing_type,
            }
          : null,
      callbackData: row.callback_data,
    }
  );
}

/** Returns the contradictions in one report: an arrival of a failed message, or a failure of one that arrived. */
function toContradictions(entry: HistoryEntry): Contradiction[] {
  const contradicting = entry.status === STATUS.failed ? (['delivered', 'read'] as const) : (['failed'] as const);
  return contradicting.flatMap((told) => {
    const at = entry[`${told}_at`];
    return at === undefined || at === null ? [] : { told, atMs: Date.parse(at), errorCode: entry.error_code ?? null };
  });
}
