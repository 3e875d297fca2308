import type { Queryable } from '../../database/database.ts';
import type { MarketingMessages } from '../../organizations/index.ts';
import { ONBOARDED } from '../../upstream/index.ts';
import type { Waba } from '../waba.ts';

export type WabaKey = Pick<Waba, 'organizationId' | 'wabaId'>;

/** SQL that holds if an account's marketing templates may go to `/marketing_messages`, or may go nowhere else. */
export const isMarketingReady = (waba: string) =>
  `coalesce(${waba}.marketing_onboarding = '${ONBOARDED}' OR ${waba}.marketing_forbidden, false)`;

/** Stores the platform's word for the admission of an account, just read. Ends what refusals have taught. Returns true if that is a change. */
export async function storeOnboarding(
  tx: Queryable,
  { organizationId, wabaId }: WabaKey,
  status: string | null,
): Promise<boolean> {
  const rows = await tx.query<{ isChange: boolean }>({
    text: `
      WITH known AS MATERIALIZED (
        SELECT ${isMarketingReady('w')} AS was_ready FROM waba w WHERE organization_id = $1 AND waba_id = $2 FOR NO KEY UPDATE
      )
      UPDATE waba w SET marketing_onboarding = $3, marketing_forbidden = false, marketing_read_at = clock_timestamp(),
        marketing_changed_at = CASE WHEN was_ready <> $4 THEN clock_timestamp() ELSE marketing_changed_at END
      FROM known WHERE organization_id = $1 AND waba_id = $2
      RETURNING was_ready <> $4 AS "isChange"`,
    values: [organizationId, wabaId, status, status === ONBOARDED],
  });
  return rows[0]?.isChange ?? false;
}

/** Records that the platform refuses an account's marketing templates at `/messages`. Returns false if that was known. */
export async function storeForbidden(tx: Queryable, { organizationId, wabaId }: WabaKey): Promise<boolean> {
  const rows = await tx.query({
    name: 'waba_forbid_marketing',
    text: `
      UPDATE waba w SET marketing_forbidden = true,
        marketing_changed_at = CASE WHEN ${isMarketingReady('w')} THEN marketing_changed_at ELSE clock_timestamp() END
      WHERE organization_id = $1 AND waba_id = $2 AND NOT marketing_forbidden
      RETURNING 1`,
    values: [organizationId, wabaId],
  });
  return rows.length > 0;
}

/** Changes an account's own setting; null takes the organization's. Returns the organization; undefined if there is no such account. */
export async function updateMarketingMessages(
  tx: Queryable,
  wabaId: string,
  setting: MarketingMessages | null,
): Promise<string | undefined> {
  const rows = await tx.query<{ organizationId: string }>({
    text: `
      UPDATE waba SET marketing_messages = $2,
        marketing_changed_at = CASE WHEN marketing_messages IS DISTINCT FROM $2 THEN clock_timestamp() ELSE marketing_changed_at END
      WHERE waba_id = $1
      RETURNING organization_id AS "organizationId"`,
    values: [wabaId, setting],
  });
  return rows[0]?.organizationId;
}

/** Has the admission of an account read soon. */
export async function requestOnboardingReading(tx: Queryable, wabaId: string): Promise<void> {
  await tx.query({ text: 'UPDATE waba SET marketing_read_at = NULL WHERE waba_id = $1', values: [wabaId] });
}

/** Has the admission of an account read again in an hour: it could not be read now. */
export async function postponeOnboardingReading(db: Queryable, wabaId: string): Promise<void> {
  await db.query({
    text: `UPDATE waba SET marketing_read_at = clock_timestamp() - interval '23 hours' WHERE waba_id = $1`,
    values: [wabaId],
  });
}

/**
 * Claims up to `limit` accounts whose admission was read more than a day ago, or an hour ago if the platform works on it. Accounts that
 * another node is claiming are skipped.
 */
export async function claimOnboardingReadings(db: Queryable, limit: number): Promise<WabaKey[]> {
  return await db.query<WabaKey>({
    name: 'waba_claim_onboarding',
    text: `
      WITH due AS MATERIALIZED (
        SELECT waba_id FROM waba
        WHERE NOT test AND (marketing_read_at IS NULL
          OR marketing_read_at < clock_timestamp()
            - CASE WHEN marketing_onboarding LIKE 'PENDING%' THEN interval '1 hour' ELSE interval '24 hours' END)
        ORDER BY marketing_read_at NULLS FIRST LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE waba w SET marketing_read_at = clock_timestamp() FROM due WHERE w.waba_id = due.waba_id
      RETURNING w.organization_id AS "organizationId", w.waba_id AS "wabaId"`,
    values: [limit],
  });
}

/** The use of `/marketing_messages` of one account. */
export interface MarketingUse {
  wabaId: string;
  /** The account's own setting; null takes the organization's. */
  setting: MarketingMessages | null;
  /** The setting in force. */
  inForce: MarketingMessages;
  /** The platform's word for the admission; null if it gave none. */
  onboarding: string | null;
}

/** Returns the use of `/marketing_messages` of one account of any organization. */
export async function findMarketingUse(db: Queryable, wabaId: string): Promise<MarketingUse | undefined> {
  const rows = await db.query<MarketingUse>({
    text: `
      SELECT w.waba_id AS "wabaId", w.marketing_messages AS setting,
        coalesce(w.marketing_messages, o.marketing_messages) AS "inForce", w.marketing_onboarding AS onboarding
      FROM waba w JOIN organization o ON o.id = w.organization_id
      WHERE w.waba_id = $1`,
    values: [wabaId],
  });
  return rows[0];
}
