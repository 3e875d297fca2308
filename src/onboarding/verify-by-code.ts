import type { Accounts } from '../accounts/index.ts';
import { AppError, invalid } from '../core/errors.ts';
import { type CallResult, retryAfterSecondsOf } from '../upstream/index.ts';
import { type ChangeDeps, checkRests, getOnboarding } from './change-onboarding.ts';

export interface VerifyDeps extends ChangeDeps {
  accounts: Pick<Accounts, 'tokenOf'>;
}

/** Means of verifying a number, as a repeat of the step names them. */
interface Verification {
  request_code?: 'SMS' | 'VOICE' | undefined;
  verification_code?: string | undefined;
}

/**
 * Has the platform send a code to the number, or verifies the number with it, before the step verify_number looks again. Raises
 * VALIDATION_ERROR, NOT_FOUND, CONFLICT without a number, during a step and after the end, PROVIDER_REJECTED, UNAVAILABLE.
 */
export async function verifyByCode(
  { db, accounts, upstream }: VerifyDeps,
  { organizationId, id, step }: { organizationId: string; id: string; step: string },
  { request_code: method, verification_code: code }: Verification,
): Promise<void> {
  if (method === undefined && code === undefined) return;
  if (step !== 'verify_number')
    throw invalid('"request_code" and "verification_code" belong to the step verify_number.');
  const onboarding = await getOnboarding(db, organizationId, id);
  // The repeat of the step refuses it as well, but the platform would have been called by then.
  checkRests(onboarding);
  const { wabaId, phoneNumberId } = onboarding;
  if (wabaId === null || phoneNumberId === null) throw new AppError('CONFLICT', 'No number is chosen yet.');
  const { token } = await accounts.tokenOf(organizationId, wabaId);
  if (method !== undefined) check(await upstream.requestNumberCode(phoneNumberId, token, method));
  if (code !== undefined) check(await upstream.verifyNumber(phoneNumberId, token, code.replace('-', '')));
}

function check(result: CallResult<true>): void {
  if (result.kind === 'ok') return;
  if (result.kind === 'rejected' || result.kind === 'credential') {
    const { provider } = result;
    throw new AppError('PROVIDER_REJECTED', `The platform refused: ${provider.error_user_msg}`, {
      provider_error: provider,
    });
  }
  throw new AppError('UNAVAILABLE', 'The platform gives no usable answer. Try again.', {
    retryAfterSeconds: retryAfterSecondsOf(result),
  });
}
