export { sweepDigests } from './queries.ts';
export { PayloadReceiver } from './receive-payload.ts';
export { inboundWebhookRoutes, upstreamJournalRoutes } from './routes.ts';
export { takeTestWebhook } from './take-test-webhook.ts';
