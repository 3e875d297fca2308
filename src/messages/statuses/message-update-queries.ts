import { wamidDigest } from '../../core/ids.ts';
import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { groupByMessageTable, type MessageTable, nameFor } from '../../database/days/message-tables.ts';
import { addEvents, eventTypeNumber } from '../../events/index.ts';

/** A report of the platform about a message other than a delivery status, such as a payment. */
export interface MessageUpdate {
  organizationId: string;
  wamid: string;
  atMs: number;
  /** The webhook value's members that report it, word for word: a JSON object as text. */
  value: string;
}

/** An update with its message. */
interface FoundUpdate extends MessageUpdate {
  messageId: string;
}

const REPORTED = arrayTable<MessageUpdate>()({
  wamid_digest: ['uuid', (update) => wamidDigest(update.wamid)],
  organization_id: ['uuid', (update) => update.organizationId],
});

const UPDATES = arrayTable<FoundUpdate>()({
  organization_id: ['uuid', (update) => update.organizationId],
  message_id: ['uuid', (update) => update.messageId],
  at: ['timestamptz', (update) => new Date(update.atMs)],
  value: ['text', (update) => update.value],
});

/**
 * Records an event for each update of a message that its organization sent, and returns the recorded updates. The message's status, times
 * and usage stay unchanged.
 * A repeated call repeats the events, so the caller must claim each change once.
 */
export async function recordMessageUpdates(
  tx: Queryable,
  updates: readonly MessageUpdate[],
  nowMs: number,
): Promise<Set<MessageUpdate>> {
  if (updates.length === 0) return new Set();
  const rows = await tx.query<{ place: number; messageId: string }>({
    name: 'message_find_sent',
    text: `
      SELECT u.place::int AS place, r.message_id AS "messageId"
      FROM ${REPORTED.from('u', 'place')}
      JOIN wamid_ref r ON r.wamid_digest = u.wamid_digest AND r.organization_id = u.organization_id
      JOIN message m ON m.organization_id = r.organization_id AND m.id = r.message_id AND m.direction = 0
      ORDER BY u.place`,
    values: REPORTED.values(updates),
  });
  const found = rows.flatMap(({ place, messageId }) => {
    const update = updates[place - 1];
    return update === undefined ? [] : [{ update, messageId }];
  });
  const items = found.map(({ update, messageId }) => ({ ...update, messageId }));
  for (const group of groupByMessageTable(items, ({ messageId }) => messageId, nowMs)) {
    await recordInTable(tx, group.table, group.items);
  }
  return new Set(found.map(({ update }) => update));
}

const RECORD_EVENTS = addEvents(
  'input i JOIN locked l ON l.organization_id = i.organization_id AND l.id = i.message_id',
  {
    organization_id: 'l.organization_id',
    subject_id: 'l.id',
    xid: 'l.event_xid',
    number_id: 'l.number_id',
    type: eventTypeNumber('message.updated'),
    sequence: 'l.event_count + row_number() OVER (PARTITION BY l.id ORDER BY i.ord)',
    occurred_at: 'i.at',
    category: 'l.category',
    pricing_type: 'l.pricing_type',
    upstream_field: "'messages'",
    upstream_value: 'i.value',
  },
);

/** Locks rows in key order, like every statement over several messages. Without this, two statements could deadlock. */
async function recordInTable(tx: Queryable, table: MessageTable, updates: readonly FoundUpdate[]): Promise<void> {
  await tx.query({
    name: nameFor('message_record_updates', table),
    text: `
      WITH input AS MATERIALIZED (${UPDATES.rows('ord')}),
      locked AS MATERIALIZED (
        SELECT m.organization_id, m.id, m.number_id, m.category, m.pricing_type, m.event_count,
               greatest(m.event_xid, pg_current_xact_id()) AS event_xid
        FROM (SELECT DISTINCT organization_id, message_id FROM input ORDER BY organization_id, message_id) i
        JOIN ${table.name} m ON m.organization_id = i.organization_id AND m.id = i.message_id
        FOR NO KEY UPDATE OF m
      ),
      changed AS (
        UPDATE ${table.name} m
        SET event_count = l.event_count + (SELECT count(*) FROM input i WHERE i.message_id = l.id), event_xid = l.event_xid
        FROM locked l
        WHERE m.organization_id = l.organization_id AND m.id = l.id
      )
      ${RECORD_EVENTS}`,
    values: UPDATES.values(updates),
  });
}
