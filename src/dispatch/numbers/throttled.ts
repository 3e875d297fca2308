import type { SendingNumber } from '../../accounts/index.ts';

export type Account = Pick<SendingNumber, 'organizationId' | 'wabaId'>;

/** Numbers that the platform throttles together. An `appId` of null stands for the app of the environment. */
export type Throttled =
  | { scope: 'waba'; account: Account }
  | { scope: 'app'; account: Account; appId: string | null }
  | { scope: 'platform'; account: Account };

/** Key of a throttle of the whole platform. */
const EVERYBODY = '';

/** Returns the key of a throttle. */
export function keyOf(throttled: Throttled): string {
  if (throttled.scope === 'platform') return EVERYBODY;
  return throttled.scope === 'app' ? keyOfApp(throttled.appId) : accountOf(throttled.account);
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
