import type { ProviderError } from '../../core/errors.ts';

/**
 * How a message's dispatch ended for good. `upstreamStatus`: the upstream's own word in its answer. `toldAtMs`: a status says so, not the
 * answer to the send, and of that moment. `provider`: the upstream's own words, where it refused.
 */
export type DispatchOutcome =
  | { kind: 'sent'; wamid: string; upstreamStatus?: string; toldAtMs?: number }
  | { kind: 'failed'; errorCode: string; errorMessage: string; provider?: ProviderError };

/** A message that reached its end in the queue. */
export interface SettledMessage {
  organizationId: string;
  messageId: string;
  outcome: DispatchOutcome;
  /** When the attempt began that was answered so (epoch ms); undefined when the end came otherwise. */
  begunAtMs?: number | undefined;
}
