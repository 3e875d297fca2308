import type { Api } from '../../api/api.ts';
import { renderFields } from '../../terminal/table.ts';
import { type Tenant, tenantPath } from '../tenants/tenant.ts';

const TENANTS_PER_PAGE = 100;

/** A connected number, as the admin API lists it. */
export interface ListedNumber {
  phone_number_id: string;
  phone_number: string;
  registered: boolean;
  webhook_override: { url: string | null } | null;
  paused: boolean;
  parked: { code: string; reason: string } | null;
}

/** A business account with its tenant. */
export interface ListedWaba {
  organization_id: string;
  waba_id: string;
  app_id: string | null;
  webhooks_subscribed: boolean | null;
  numbers: ListedNumber[];
}

/** The answer to a connect or a sync. */
export interface ReadWaba {
  waba_id: string;
  app_id: string | null;
  webhooks_subscribed: boolean | null;
  numbers: Pick<ListedNumber, 'phone_number_id' | 'phone_number' | 'registered' | 'webhook_override'>[];
  templates: number;
}

/** Returns the path of a business account in the admin API. */
export function wabaPath(id: string): string {
  return `/admin/v1/wabas/${encodeURIComponent(id)}`;
}

/** Lists the business accounts of one tenant, or of all tenants without an id. */
export async function listWabas(api: Api, tenantId: string | undefined): Promise<ListedWaba[]> {
  const found: ListedWaba[] = [];
  const add = async (id: string) => {
    const wabas = api.list<Omit<ListedWaba, 'organization_id'>>(`${tenantPath(id)}/wabas`);
    for await (const waba of wabas) found.push({ organization_id: id, ...waba });
  };
  if (tenantId !== undefined) await add(tenantId);
  else
    for await (const { id } of api.list<Tenant>('/admin/v1/organizations', { limit: TENANTS_PER_PAGE })) await add(id);
  return found;
}

/** Renders a business account that was just read from the platform. */
export function renderReadWaba(waba: ReadWaba): string {
  const numbers = waba.numbers.map(({ phone_number_id, phone_number, registered }) => {
    return `${phone_number_id} (+${phone_number}${registered ? '' : ', not registered'})`;
  });
  return renderFields([
    ['id', waba.waba_id],
    ['app', waba.app_id],
    ['webhooks', webhooksOf(waba)],
    ['numbers', numbers.join(', ') || 'none'],
    ['templates', waba.templates],
  ]);
}

/** Describes in words if the webhooks of a business account arrive. */
export function webhooksOf({
  webhooks_subscribed,
  numbers,
}: Pick<ReadWaba, 'webhooks_subscribed' | 'numbers'>): string {
  if (numbers.some((number) => number.webhook_override !== null)) return 'sent elsewhere';
  if (webhooks_subscribed === null) return 'unknown';
  return webhooks_subscribed ? 'subscribed' : 'not subscribed';
}
