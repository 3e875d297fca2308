import type { NumberState } from '../../upstream/index.ts';
import { ofFailure } from '../platform-fault.ts';
import { accessTokenOf, type Step } from '../step-context.ts';
import { done, failed } from '../steps.ts';

/** Checks that the number belongs to the business, and that it is free for the Cloud API. */
export const checkVerification: Step = async (context) => {
  const { deps, onboarding } = context;
  const { phoneNumberId } = onboarding;
  const token = await accessTokenOf(context);
  if (phoneNumberId === null || token === undefined) {
    return failed('No number is chosen.', 'Repeat the step connect_account with "phone_number_id".');
  }
  const read = await deps.upstream.readNumberState(phoneNumberId, token);
  if (read.kind !== 'ok') return ofFailure(read, 'to show the number');
  const { verification, isOnBizApp, displayPhoneNumber } = read.value;
  if (isRegistered(read.value)) return done(`The number ${displayPhoneNumber ?? phoneNumberId} is verified.`);
  if (isOnBizApp) {
    return failed(
      'The number is used in the WhatsApp Business app only.',
      'Connect again and choose to keep the app beside the API, or delete the account in the app. Then repeat this step.',
    );
  }
  if (verification === null || verification === 'VERIFIED') {
    return done(`The number ${displayPhoneNumber ?? phoneNumberId} is verified.`);
  }
  return failed(
    `The number is not verified (${verification}).`,
    'Repeat this step with "request_code" (SMS or VOICE), then with "verification_code"; or verify it in WhatsApp Manager.',
    '133006',
  );
};

/** Returns true for a number that may send by the Cloud API. */
export function isRegistered({ platformType, status }: Pick<NumberState, 'platformType' | 'status'>): boolean {
  return platformType === 'CLOUD_API' && status === 'CONNECTED';
}
