import type { Config } from '../config.ts';

/** What will not work as meant with a real platform because of a setting that lacks something, each as a sentence for the operator. */
export function upstreamWarnings({ baseUrl, appId, appSecrets, verifyToken }: Config['upstream']): string[] {
  return [
    ...(baseUrl !== null && !/\/v\d+\.\d+$/.test(baseUrl)
      ? ['UPSTREAM_BASE_URL ends with no version (/v24.0): the upstream answers in its oldest']
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
