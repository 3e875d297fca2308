import type { BenchGateway } from '../processes.ts';
import type { Sender } from '../requests.ts';

const AT_ONCE = 16;

/** An organization with its first API key and the numbers of its account. */
export interface Tenant extends Sender {
  organizationId: string;
}

/** Adds organizations to the gateway until there are `count`. Each gets two API keys, and one account with the upstream's numbers. */
export async function addOrganizations(gateway: BenchGateway, count: number): Promise<Tenant[]> {
  const places = Array.from({ length: count }, (_, place) => place);
  const tenants: Tenant[] = [];
  const addNext = async () => {
    for (let place = places.shift(); place !== undefined; place = places.shift()) {
      tenants[place] = await addOrganization(gateway, place);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, addNext));
  return tenants;
}

/** Adds the organization at this place; the first one exists. */
async function addOrganization(gateway: BenchGateway, place: number): Promise<Tenant> {
  const create = async <Created>(path: string, body: object) =>
    (await gateway.admin('POST', `/organizations${path}`, body)) as Created;
  const isFirst = place === 0;
  const organizationId = isFirst
    ? gateway.organizationId
    : (await create<{ id: string }>('', { name: `Shop ${place}` })).id;
  const addKey = () => create<{ key: string }>(`/${organizationId}/api-keys`, {});
  const { key: apiKey } = await addKey();
  await addKey();
  if (isFirst) return { organizationId, apiKey, numbers: gateway.numbers };
  const account = { waba_id: String(100 + place), access_token: 'EAAbench' };
  const { numbers } = await create<{ numbers: { phone_number_id: string }[] }>(`/${organizationId}/wabas`, account);
  return { organizationId, apiKey, numbers: numbers.map((number) => number.phone_number_id) };
}
