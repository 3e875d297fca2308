export { isAddressRange } from './address-policy.ts';
export type { Egress } from './create-egress.ts';
export { createEgress } from './create-egress.ts';
export { type EgressFailure, failureOfRefusal } from './egress-failure.ts';
export type { WebhookOutcome } from './post-webhook.ts';
export type { UrlRefusal } from './url-policy.ts';
export { verifyOwnAddress } from './verify-own-address.ts';
