export type { ApplyAccountChanges } from './apply-payload.ts';
export { PayloadReceiver } from './receive-payload.ts';
export { inboundWebhookRoutes, upstreamJournalRoutes } from './routes.ts';
export { sweepDigests } from './sweep-digests.ts';
