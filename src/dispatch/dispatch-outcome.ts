import type { ProviderError } from '../core/errors.ts';

/**
 * How a message's dispatch ended for good. `byStatus`: a status says so, not the answer to the send. `provider`: the upstream's own
 * words, where it refused.
 */
export type DispatchOutcome =
  | { kind: 'sent'; wamid: string; byStatus?: true }
  | { kind: 'failed'; errorCode: string; errorMessage: string; provider?: ProviderError };
