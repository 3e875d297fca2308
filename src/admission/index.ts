export { createOverloadGate } from './overload.ts';
export { createQueueBounds, type QueueBounds } from './queue-bounds.ts';
export { createRateLimits } from './rate-limits.ts';
export { type AdmittedRequests, RequestsGatherer, type SharedRequests } from './shared-requests.ts';
