import { type Caller, checkOwnNumber } from '../http/index.ts';
import type { Accounts } from './accounts.ts';

/**
 * Returns the small ids of the numbers whose messages and events a caller may read, narrowed to `phoneNumberId` if it is given; undefined
 * for all of the organization. Every list and search of the API takes them from here.
 * Raises ACCOUNT_NOT_FOUND if the organization never had the number, FORBIDDEN if the key is limited to others.
 */
export async function permittedNumberIds(
  accounts: Pick<Accounts, 'listNumberIds'>,
  caller: Pick<Caller, 'organizationId' | 'limits'>,
  phoneNumberId: string | undefined,
): Promise<number[] | undefined> {
  const { organizationId } = caller;
  if (phoneNumberId !== undefined) {
    const numberIds = await accounts.listNumberIds(organizationId, phoneNumberId);
    checkOwnNumber(caller, phoneNumberId);
    return numberIds;
  }
  const permitted = caller.limits?.phoneNumberIds ?? null;
  if (permitted === null) return undefined;
  return (await Promise.all([...permitted].map((id) => accounts.listNumberIds(organizationId, id)))).flat();
}
