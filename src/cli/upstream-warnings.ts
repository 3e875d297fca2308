import type { Config } from '../config.ts';

/** What will not work with a real platform because of a setting that is missing, each as a sentence for the operator. */
export function upstreamWarnings({ appId, appSecrets, verifyToken }: Config['upstream']): string[] {
  return [
    ...(appSecrets.length === 0
      ? ['UPSTREAM_APP_SECRET is not set: every webhook of the upstream will be refused']
      : []),
    ...(verifyToken === null
      ? ['UPSTREAM_VERIFY_TOKEN is not set: the webhook cannot be registered at the upstream']
      : []),
    ...(appId === null ? ['UPSTREAM_APP_ID is not set: templates with sample media cannot be created'] : []),
  ];
}
