export { dealtUpTo } from './delivery/fan-out.ts';
export { listOrganizationsAsking } from './endpoints/asking-queries.ts';
export { disableEndpointsOf } from './endpoints/change-endpoint.ts';
export type { EndpointDeps } from './endpoints/create-endpoint.ts';
export { resealWebhookSecrets } from './endpoints/reseal-secrets.ts';
export { ATTEMPTS_SHOWN_MAX, type EventAttempt, listDeliveriesOfEvents } from './history/delivery-queries.ts';
export { OutboundWebhooks } from './outbound-webhooks.ts';
export { webhookRoutes } from './routes.ts';
