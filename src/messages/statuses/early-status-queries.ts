import { wamidDigest } from '../../core/ids.ts';
import { arrayTable } from '../../database/batching/array-table.ts';
import { sameKey } from '../../database/batching/same-key.ts';
import type { Queryable } from '../../database/database.ts';
import { deleteOlder } from '../../database/days/delete-older.ts';
import { type OwnedStatus, PARKED } from './status-input.ts';

const COLUMNS = `wamid_digest, wamid, phone_number_id, contact, sent_at, delivered_at, read_at, failed_at, error_code, error_message,
  category, pricing_type, callback_data, sent_value, delivered_value, read_value, failed_value, pricing_rank`;

const person = (name: string) => `(
  SELECT a.person FROM sending_number n
  JOIN person_alias a ON a.organization_id = n.organization_id AND a.alias = ${name} AND a.waba_id = n.waba_id
  WHERE n.phone_number_id = u.phone_number_id AND n.organization_id = u.organization_id
)`;

/** The key of a status's recipient. NULL if the two names are those of two records: the status could belong to a message of either. */
const RECIPIENT_KEY = `(
  SELECT CASE WHEN by_id IS NULL THEN by_number WHEN by_number IS NULL OR by_number = by_id THEN by_id END
  FROM (
    SELECT coalesce(${person('u.contact::text')}, u.contact) AS by_number,
           ${person('u.user_id')} AS by_id
  ) k
)`;

/**
 * Keeps statuses whose wamid `applyStatuses` did not know, merged per wamid, until their send is recorded (decisions "Status").
 * The send may have been recorded in between. A second check here would leave a gap of its own; `listRecordedEarly` closes it later.
 * A further status of a wamid renews `received_at`, because it may race with the recording of its send like the first one.
 */
export async function parkStatuses(tx: Queryable, updates: OwnedStatus[], nowMs: number): Promise<void> {
  await tx.query({
    name: 'early_status_park',
    text: `
      INSERT INTO early_status (${COLUMNS}, received_at)
      SELECT ${COLUMNS.replace('contact', RECIPIENT_KEY)}, $${PARKED.next}
      FROM (${PARKED.rows()}) u
      ORDER BY wamid_digest
      ON CONFLICT (wamid_digest) DO UPDATE SET
        contact = coalesce(early_status.contact, excluded.contact),
        callback_data = coalesce(early_status.callback_data, excluded.callback_data),
        sent_at = least(early_status.sent_at, excluded.sent_at),
        delivered_at = least(early_status.delivered_at, excluded.delivered_at),
        read_at = least(early_status.read_at, excluded.read_at),
        failed_at = least(early_status.failed_at, excluded.failed_at),
        error_code = coalesce(early_status.error_code, excluded.error_code),
        error_message = coalesce(early_status.error_message, excluded.error_message),
        category = CASE WHEN excluded.pricing_rank >= early_status.pricing_rank
                        THEN coalesce(excluded.category, early_status.category)
                        ELSE coalesce(early_status.category, excluded.category) END,
        pricing_type = CASE WHEN excluded.pricing_rank >= early_status.pricing_rank
                            THEN coalesce(excluded.pricing_type, early_status.pricing_type)
                            ELSE coalesce(early_status.pricing_type, excluded.pricing_type) END,
        pricing_rank = greatest(early_status.pricing_rank, excluded.pricing_rank),
        sent_value = coalesce(early_status.sent_value, excluded.sent_value),
        delivered_value = coalesce(early_status.delivered_value, excluded.delivered_value),
        read_value = coalesce(early_status.read_value, excluded.read_value),
        failed_value = coalesce(early_status.failed_value, excluded.failed_value),
        received_at = greatest(early_status.received_at, excluded.received_at)`,
    values: [...PARKED.values(updates), new Date(nowMs)],
  });
}

export const WAMIDS = arrayTable<{ wamid: string }>()({
  wamid_digest: ['uuid', ({ wamid }) => wamidDigest(wamid)],
  wamid: ['text', ({ wamid }) => wamid],
});

/** Returns the organizations that sent the messages of these statuses, by wamid; unknown wamids are absent. */
export async function findSenders(tx: Queryable, updates: readonly { wamid: string }[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ wamid: string; organizationId: string }>({
    name: 'wamid_find_senders',
    text: `
      SELECT u.wamid, r.organization_id AS "organizationId"
      FROM ${WAMIDS.from('u')} JOIN wamid_ref r USING (wamid_digest)`,
    values: WAMIDS.values(updates),
  });
  return new Map(rows.map(({ wamid, organizationId }) => [wamid, organizationId]));
}

/** Deletes statuses received before `beforeMs` (epoch ms) without a matching send: their messages were sent by another system. */
export function sweepEarlyStatuses(db: Queryable, beforeMs: number): Promise<void> {
  return deleteOlder(db, 'early_status', 'received_at', beforeMs);
}

/** A parked status whose send has been recorded since, with the organization that sent it. */
export interface RecordedEarly extends OwnedStatus {
  /** Changes whenever a further status of the wamid is parked. */
  version: string;
}

/**
 * Returns the parked statuses of these wamid digests whose sends have been recorded since. They stay parked. Takes no lock, because a
 * transaction that parks a further status may hold what their application waits for.
 */
export async function readRecordedEarly(db: Queryable, wamidDigests: readonly string[]): Promise<RecordedEarly[]> {
  const rows = await db.query<EarlyStatusRow>({
    name: 'early_status_read_recorded',
    text: `
      SELECT e.*, e.xmin AS version, r.organization_id
      FROM early_status e JOIN wamid_ref r USING (wamid_digest)
      WHERE e.wamid_digest = ANY ($1::uuid[])`,
    values: [wamidDigests],
  });
  return rows.map((row) => ({ ...toOwnedStatus(row), version: row.version }));
}

export const APPLIED = arrayTable<RecordedEarly>()({
  wamid_digest: ['uuid', ({ wamid }) => wamidDigest(wamid)],
  version: ['xid', ({ version }) => version],
});

/**
 * Deletes parked statuses that have been applied. Keeps those that changed since they were read, or that another transaction is changing,
 * so that they are applied again. Never waits for a lock.
 */
export async function deleteAppliedEarly(db: Queryable, applied: readonly RecordedEarly[]): Promise<void> {
  await db.query({
    name: 'early_status_delete_applied',
    text: `
      DELETE FROM early_status e
      USING (
        SELECT e.wamid_digest
        FROM ${APPLIED.from('a')}
        JOIN early_status e ON ${sameKey('e', 'a', ['wamid_digest'])}
        WHERE e.xmin = a.version
        FOR UPDATE OF e SKIP LOCKED
      ) t
      WHERE ${sameKey('e', 't', ['wamid_digest'])}`,
    values: APPLIED.values(applied),
  });
}

/** A parked status's place in the order of arrival. */
export interface EarlyPlace {
  receivedAtMs: number;
  wamidDigest: string;
}

/** A page of parked statuses, by the digests of their wamids, and the place from which to continue; undefined at the end. */
export interface EarlyPage {
  wamidDigests: string[];
  next: EarlyPlace | undefined;
}

/**
 * Returns those of the next `lookedAtMax` parked statuses whose sends have been recorded since. The bound holds however many statuses
 * belong to messages of other systems, which stay for days.
 */
export async function listRecordedEarly(db: Queryable, after: EarlyPlace, lookedAtMax: number): Promise<EarlyPage> {
  const rows = await db.query<{ received_at: Date; wamid_digest: string; is_recorded: boolean; looked_at: number }>({
    name: 'early_status_list_recorded',
    text: `
      SELECT * FROM (
        SELECT e.received_at, e.wamid_digest, EXISTS (SELECT FROM wamid_ref r WHERE r.wamid_digest = e.wamid_digest) AS is_recorded,
               row_number() OVER (ORDER BY e.received_at, e.wamid_digest) AS looked_at
        FROM (
          SELECT received_at, wamid_digest FROM early_status
          WHERE received_at >= $1 AND (received_at, wamid_digest) > ($1, $2)
          ORDER BY received_at, wamid_digest LIMIT $3
        ) e
      ) l
      WHERE is_recorded OR looked_at = $3
      ORDER BY looked_at`,
    values: [new Date(after.receivedAtMs), after.wamidDigest, lookedAtMax],
  });
  const last = rows.at(-1);
  return {
    wamidDigests: rows.filter((row) => row.is_recorded).map((row) => row.wamid_digest),
    next:
      last?.looked_at === lookedAtMax
        ? { receivedAtMs: last.received_at.getTime(), wamidDigest: last.wamid_digest }
        : undefined,
  };
}

interface EarlyStatusRow {
  version: string;
  organization_id: string;
  wamid: string;
  phone_number_id: string;
  contact: number | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
  error_code: string | null;
  error_message: string | null;
  category: string | null;
  pricing_type: string | null;
  callback_data: string | null;
  sent_value: string | null;
  delivered_value: string | null;
  read_value: string | null;
  failed_value: string | null;
  pricing_rank: number;
}

function toOwnedStatus(row: EarlyStatusRow): OwnedStatus {
  return {
    organizationId: row.organization_id,
    wamid: row.wamid,
    phoneNumberId: row.phone_number_id,
    contact: row.contact === null ? undefined : String(row.contact),
    sentAtMs: row.sent_at?.getTime(),
    deliveredAtMs: row.delivered_at?.getTime(),
    readAtMs: row.read_at?.getTime(),
    failedAtMs: row.failed_at?.getTime(),
    errorCode: row.error_code ?? undefined,
    errorMessage: row.error_message ?? undefined,
    category: row.category ?? undefined,
    pricingType: row.pricing_type ?? undefined,
    callbackData: row.callback_data ?? undefined,
    sentValue: row.sent_value ?? undefined,
    deliveredValue: row.delivered_value ?? undefined,
    readValue: row.read_value ?? undefined,
    failedValue: row.failed_value ?? undefined,
    pricingRank: row.pricing_rank,
  };
}
