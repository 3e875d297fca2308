export { sweepDigests } from './queries.ts';
export { PayloadReceiver } from './receive-payload.ts';
export { inboundWebhookRoutes, upstreamJournalRoutes } from './routes.ts';
