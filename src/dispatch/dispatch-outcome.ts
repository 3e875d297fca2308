import type { ProviderError } from '../core/errors.ts';

/** How a message's dispatch ended for good. `provider`: the upstream's own words, where it refused. */
export type DispatchOutcome =
  | { kind: 'sent'; wamid: string }
  | { kind: 'failed'; errorCode: string; errorMessage: string; provider?: ProviderError };
