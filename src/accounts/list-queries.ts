import type { Queryable } from '../database/database.ts';
import type { MarketingUse } from './marketing/marketing-queries.ts';
import type { SendingNumber } from './sending-number.ts';

/** The ids and digits of a number, its registration, and its webhook override. */
export type NumberIdentity = Pick<
  SendingNumber,
  'accountId' | 'phoneNumberId' | 'phoneNumber' | 'registered' | 'webhookOverride'
>;

/** A number as lists show it: its identity, and the reasons why its messages wait. */
export type ListedNumber = NumberIdentity & Pick<SendingNumber, 'paused' | 'parked'>;

/**
 * Returns an organization's WABAs by id, those behind `after`, each with its numbers. One statement reads both, so no WABA appears without
 * its numbers.
 */
export async function listWabas(
  db: Queryable,
  organizationId: string,
  after: string | undefined,
  limit: number,
): Promise<(MarketingUse & { appId: string | null; webhooksSubscribed: boolean | null; numbers: ListedNumber[] })[]> {
  return db.query({
    text: `
      SELECT waba_id AS "wabaId", w.app_id AS "appId", webhooks_subscribed AS "webhooksSubscribed", w.marketing_messages AS setting,
        coalesce(w.marketing_messages, o.marketing_messages) AS "inForce", w.marketing_onboarding AS onboarding, (
        SELECT coalesce(jsonb_agg(jsonb_build_object('accountId', n.account_id, 'phoneNumberId', n.phone_number_id,
          'phoneNumber', n.phone_number, 'registered', n.registered, 'webhookOverride', n.webhook_override,
          'paused', n.paused, 'parked', CASE
            WHEN w.parked_code IS NOT NULL THEN jsonb_build_object('code', w.parked_code, 'reason', coalesce(w.parked_reason, ''))
            WHEN n.parked_code IS NOT NULL THEN jsonb_build_object('code', n.parked_code, 'reason', coalesce(n.parked_reason, ''))
          END) ORDER BY n.number_id), '[]')
        FROM sending_number AS n WHERE n.organization_id = w.organization_id AND n.waba_id = w.waba_id
      ) AS numbers
      FROM waba AS w JOIN organization AS o ON o.id = w.organization_id
      WHERE w.organization_id = $1 AND ($2::text IS NULL OR waba_id > $2) ORDER BY waba_id LIMIT $3`,
    values: [organizationId, after, limit],
  });
}
