export { listDeliveryEntries } from './delivery-entries.ts';
export { OutboundWebhooks } from './outbound-webhooks.ts';
export { webhookRoutes } from './routes.ts';
