import type { Config } from '../../config.ts';

/** Warns of settings with which a real platform will not work as intended; one sentence each, for the operator. */
export function upstreamWarnings({ baseUrl, appId, appSecrets, verifyToken }: Config['upstream']): string[] {
  return [
    ...(baseUrl !== null && !/\/v\d+\.\d+$/.test(baseUrl)
      ? ['UPSTREAM_BASE_URL ends without a version (/v24.0): the upstream then uses its oldest version']
      : []),
    ...(appSecrets.length === 0
      ? ['UPSTREAM_APP_SECRET is not set: every webhook of the upstream will be refused']
      : []),
    ...(verifyToken === null
      ? ['UPSTREAM_VERIFY_TOKEN is not set: the webhook cannot be registered at the upstream']
      : []),
    ...(appId === null ? ['UPSTREAM_APP_ID is not set: templates with sample media cannot be created'] : []),
  ];
}
