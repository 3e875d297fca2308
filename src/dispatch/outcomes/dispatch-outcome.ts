import type { ProviderError } from '../../core/errors.ts';
import type { ReportedNames } from '../../upstream/index.ts';

/**
 * The final result of a message's dispatch. `upstreamStatus`: the platform's own status in its answer. `reportedAtMs`: time stamped in a
 * status, if a status reports the result instead of the answer to the send. `names`: the recipient's, if the answer has several.
 * `provider`: the platform's own error text of a rejection.
 */
export type DispatchOutcome =
  | { kind: 'sent'; wamid: string; upstreamStatus?: string; reportedAtMs?: number; names?: ReportedNames }
  | { kind: 'failed'; errorCode: string; errorMessage: string; provider?: ProviderError };

/** A message whose dispatch has ended. */
export interface SettledMessage {
  organizationId: string;
  messageId: string;
  outcome: DispatchOutcome;
  /** Start of the attempt with this answer (epoch ms); undefined if the message ended otherwise. */
  begunAtMs?: number | undefined;
}
