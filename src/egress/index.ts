export { isAddressRange } from './address-policy.ts';
export type { Egress, EgressLimits, EgressOptions, UrlVerdict } from './create-egress.ts';
export { createEgress } from './create-egress.ts';
export { type EgressFailure, failureOfRefusal } from './egress-failure.ts';
export type { FetchFileOptions, FetchFileOutcome } from './fetch-public-file.ts';
export type { Dial } from './open-connection.ts';
export type { WebhookOutcome, WebhookRequest } from './post-webhook.ts';
export type { ResolveHost } from './resolve-host.ts';
export type { UrlRefusal } from './url-policy.ts';
