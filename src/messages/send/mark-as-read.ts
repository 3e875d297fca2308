import type { Accounts } from '../../accounts/index.ts';
import { AppError } from '../../core/errors.ts';
import type { BoundDatabase } from '../../database/connection/bound-database.ts';
import type { Caller } from '../../http/index.ts';
import { retryAfterSecondsOf, type Upstream } from '../../upstream/index.ts';
import { resolveReferences, withWamids } from './message-reference.ts';
import type { ReadReceipt } from './send-request.ts';

/**
 * Sends a read receipt, with or without a typing indicator, straight to the upstream (api-rules#sending). A message named by the
 * gateway's id is named by its wamid there.
 * Raises ACCOUNT_NOT_FOUND, ACCOUNT_NOT_REGISTERED, FORBIDDEN, CONFLICT, SEND_FAILED with the upstream's words, UNAVAILABLE.
 */
export async function markAsRead(
  deps: { accounts: Accounts; upstream: Upstream; lookups: Pick<BoundDatabase, 'for'> },
  caller: Caller,
  phoneNumberId: string,
  receipt: ReadReceipt,
): Promise<void> {
  const number = await deps.accounts.getNumber(caller.organizationId, phoneNumberId);
  if (!number.registered) {
    throw new AppError('ACCOUNT_NOT_REGISTERED', 'The number has not completed phone registration.');
  }
  const lookups = deps.lookups.for(caller.organizationId);
  const resolved = await resolveReferences(lookups, caller, receipt.references);
  const { token } = await deps.accounts.tokenOfNumber(number);
  const result = await deps.upstream.markAsRead({ phoneNumberId, token, body: withWamids(receipt.text, resolved) });
  switch (result.kind) {
    case 'ok':
      return;
    case 'rejected':
    case 'credential':
      throw new AppError('SEND_FAILED', result.provider.error_user_msg, { provider_error: result.provider });
    case 'throttled':
    case 'unavailable':
      throw new AppError('UNAVAILABLE', 'The upstream platform could not take it right now. Try again.', {
        retryAfterSeconds: retryAfterSecondsOf(result),
      });
  }
}
