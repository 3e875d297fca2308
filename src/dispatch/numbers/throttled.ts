import type { SendingNumber } from '../../accounts/index.ts';

export type Account = Pick<SendingNumber, 'organizationId' | 'wabaId'>;

/** Numbers that the platform throttles together: those of an account, of an app, or all. */
export interface Throttled {
  scope: 'waba' | 'app' | 'platform';
  account: Account;
  /** The app of the account, null for that of the environment. If it is not known, a throttle of an app is one of the whole platform. */
  appId?: string | null | undefined;
}

/** Key of a throttle of the whole platform. */
const EVERYBODY = '';

/** Returns the key of a throttle. */
export function keyOf({ scope, account, appId }: Throttled): string {
  if (scope === 'waba') return accountOf(account);
  return scope === 'platform' || appId === undefined ? EVERYBODY : keyOfApp(appId);
}

/** Returns the app's key, which equals no account's. */
function keyOfApp(appId: string | null): string {
  return `app:${appId ?? ''}`;
}

/** Returns the account's key. It includes the organization, because another one may have connected the same WABA since. */
export function accountOf({ organizationId, wabaId }: Account): string {
  return `${organizationId}/${wabaId}`;
}

/** Returns the keys of the throttles that a number must obey. */
export function keysOver(number: Account & Pick<SendingNumber, 'appId'>): string[] {
  return [EVERYBODY, keyOfApp(number.appId), accountOf(number)];
}
