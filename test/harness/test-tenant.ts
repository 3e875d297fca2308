import { admin, issueKey, type Served, type Tenant } from './tenant.ts';

interface ListedWaba {
  waba_id: string;
  numbers: { account_id: string; phone_number_id: string; phone_number: string }[];
}

/** Creates a test organization with a key. Its account and number are those that the gateway gives it. */
export async function createTestTenant(gateway: Served): Promise<Tenant> {
  const { id } = await admin<{ id: string }>(gateway, 'POST', '/organizations', { name: 'Test', test: true });
  const { key } = await issueKey(gateway, { organizationId: id });
  const { data } = await admin<{ data: ListedWaba[] }>(gateway, 'GET', `/organizations/${id}/wabas`);
  const waba = data[0]!;
  const number = waba.numbers[0]!;
  return {
    organizationId: id,
    apiKey: key,
    wabaId: waba.waba_id,
    phoneNumberId: number.phone_number_id,
    phoneNumber: number.phone_number,
    accountId: number.account_id,
  };
}
