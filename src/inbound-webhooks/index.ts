export type { ApplyAccountChanges } from './apply-payload.ts';
export { PayloadReceiver } from './receive-payload.ts';
export { inboundWebhookRoutes } from './routes.ts';
export type { AccountChange } from './upstream-payload.ts';
