export type { UsageHint } from './answer-hints.ts';
export { classifyError, type ErrorClass, type ErrorVerdict } from './error-classes.ts';
export type { LostReason, UnsentReason } from './exchange.ts';
export { errorTextOf, type GraphError, graphErrorOf, providerErrorOf } from './graph-error.ts';
export type { SendRequest } from './send-message.ts';
export type { SendOutcome, UnknownReason } from './send-outcome.ts';
export { createUpstream, type Upstream, type UpstreamOptions } from './upstream.ts';
