export { disableEndpointsOf } from './change-endpoint.ts';
export type { EndpointDeps } from './create-endpoint.ts';
export { ATTEMPTS_SHOWN_MAX, type EventAttempt, listDeliveriesOfEvents } from './delivery-queries.ts';
export { dealtUpTo } from './fan-out.ts';
export { OutboundWebhooks } from './outbound-webhooks.ts';
export { resealWebhookSecrets } from './reseal-secrets.ts';
export { webhookRoutes } from './routes.ts';
