import type { Queryable } from '../../database/database.ts';
import type { MarketingMessages } from '../../organizations/index.ts';
import type { DatedFacts } from './road.ts';

/** A number and a template version that is sent from it. */
export interface RoadQuestion {
  organizationId: string;
  numberId: number;
  name: string;
  language: string;
}

/**
 * Reads the facts that decide the road of a template, at one moment. Never cached: an older view could equal neither the facts of an earlier
 * attempt nor those of now.
 */
export async function readRoadFacts(
  db: Queryable,
  { organizationId, numberId, name, language }: RoadQuestion,
): Promise<DatedFacts | undefined> {
  const rows = await db.query<{
    setting: MarketingMessages;
    ready: boolean;
    account_changed_at: Date | null;
    category: string | null;
    refused: boolean | null;
    version_changed_at: Date | null;
  }>({
    name: 'road_read_facts',
    text: `
      SELECT coalesce(w.marketing_messages, o.marketing_messages) AS setting,
        coalesce(w.marketing_onboarding = 'ONBOARDED' OR w.marketing_forbidden, false) AS ready,
        greatest(o.marketing_changed_at, w.marketing_changed_at, n.waba_changed_at) AS account_changed_at,
        t.category, t.marketing_refused AS refused, t.marketing_changed_at AS version_changed_at
      FROM sending_number n
      JOIN organization o ON o.id = n.organization_id
      LEFT JOIN waba w ON w.organization_id = n.organization_id AND w.waba_id = coalesce(n.waba_id, n.former_waba_id)
      LEFT JOIN template t ON t.organization_id = n.organization_id AND t.waba_id = w.waba_id
        AND t.name = $3 AND t.language = $4 AND t.status <> 'DELETED'
      WHERE n.organization_id = $1 AND n.number_id = $2`,
    values: [organizationId, numberId, name, language],
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  const { category, refused } = row;
  return {
    account: { setting: row.setting, isReady: row.ready, changedAtMs: row.account_changed_at?.getTime() ?? null },
    version:
      category === null
        ? undefined
        : { category, isMarketingRefused: refused ?? false, changedAtMs: row.version_changed_at?.getTime() ?? null },
  };
}
