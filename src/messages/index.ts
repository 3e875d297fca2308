export { type AcceptDeps, acceptMessage } from './accept-message.ts';
export type { StatusUpdate } from './message-status.ts';
export { createMessageWriter, type MessageWriter } from './message-writer.ts';
export { type DispatchOutcome, OutcomeWaiters } from './outcome-waiters.ts';
export { applyEarlyStatuses, recordStatuses } from './record-statuses.ts';
export { messageRoutes } from './routes.ts';
export { storeInbound } from './store-inbound.ts';
export { sweepIdempotencyKeys } from './sweep-idempotency-keys.ts';
