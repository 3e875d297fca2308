import type { Queryable } from '../../database/database.ts';
import type { WebhookReach } from './webhook-reach.ts';

/** Returns the reach of a WABA of the organization; an empty reach if it was disconnected meanwhile. */
export async function readReach(tx: Queryable, organizationId: string, wabaId: string): Promise<WebhookReach> {
  const rows = await tx.query<WebhookReach>({
    name: 'waba_read_webhook_reach',
    text: `
      SELECT w.webhooks_subscribed AS "isSubscribed", (
        SELECT coalesce(jsonb_agg(jsonb_build_object('phoneNumberId', n.phone_number_id, 'override', n.webhook_override)
          ORDER BY n.number_id), '[]')
        FROM sending_number n
        WHERE n.organization_id = w.organization_id AND n.waba_id = w.waba_id AND n.webhook_override IS NOT NULL
      ) AS overrides
      FROM waba w WHERE w.organization_id = $1 AND w.waba_id = $2`,
    values: [organizationId, wabaId],
  });
  return rows[0] ?? { isSubscribed: null, overrides: [] };
}

/** Stores the state of the app's subscription to a WABA's webhooks. */
export async function noteSubscribed(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  isSubscribed: boolean,
): Promise<void> {
  await tx.query({
    text: 'UPDATE waba SET webhooks_subscribed = $3 WHERE organization_id = $1 AND waba_id = $2',
    values: [organizationId, wabaId, isSubscribed],
  });
}
