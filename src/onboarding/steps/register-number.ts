import { randomInt } from 'node:crypto';
import type { SendingNumber } from '../../accounts/index.ts';
import type { CallFailure } from '../../upstream/index.ts';
import { adviceFor, ofError, ofFailure } from '../platform-fault.ts';
import { accessTokenOf, chosenNumber, type Step, type StepContext, sealContext } from '../step-context.ts';
import { done, failed, type Later, type StepResult } from '../steps.ts';
import { isRegistered } from './verify-number.ts';

/** Registers the number with the given PIN, or with a new one. A registered number stays as it is. */
export const registerNumber: Step = async (context) => {
  const { deps } = context;
  const number = await chosenNumber(context);
  const token = await accessTokenOf(context);
  if (number === undefined || token === undefined) {
    return failed('No number is chosen.', 'Repeat the step connect_account with "phone_number_id".');
  }
  const read = await deps.upstream.readNumberState(number.phoneNumberId, token);
  if (read.kind !== 'ok') return ofFailure(read, 'to show the number');
  if (isRegistered(read.value)) {
    if (!number.registered) await deps.followRegistration(number, true);
    return done('The number is registered.');
  }
  return await register(context, number, token);
};

async function register(context: StepContext, number: SendingNumber, token: string): Promise<StepResult | Later> {
  const { deps, onboarding, store } = context;
  const isGiven = onboarding.pinSealed !== null;
  const pin = isGiven ? openPin(context) : String(randomInt(1_000_000)).padStart(6, '0');
  // The PIN is stored before the call: without this, a crash after it would leave the number with a PIN that nobody knows.
  if (!isGiven) await store({ pinSealed: deps.secretBox.seal(pin, sealContext(onboarding, 'pin')) });
  try {
    await deps.guardRegistration(number);
  } catch (error) {
    const advice = 'Wait until 72 hours have passed since the first of these calls, then repeat this step.';
    return ofError(error, 'the registration', advice);
  }
  const registered = await deps.upstream.registerNumber(number.phoneNumberId, token, pin);
  if (registered.kind !== 'ok') {
    // The platform has refused this PIN. A wrong one that stays would be tried again.
    if (registered.kind === 'rejected' && registered.code === '133005') await store({ pinSealed: null });
    return refusalOf(registered);
  }
  await deps.followRegistration(number, true);
  return done(
    'The number was registered.',
    isGiven ? undefined : 'It has a new PIN, which an administrator can read once. Keep it: the number needs it again.',
  );
}

/**
 * Returns the result of a registration that failed. Each attempt counts towards the platform's ten, so that only a person repeats one that the
 * platform has answered.
 */
function refusalOf(failure: CallFailure): StepResult | Later {
  if (failure.kind === 'rejected' || failure.kind === 'credential') return ofFailure(failure, 'the registration');
  const { code } = failure;
  if (code === undefined) return ofFailure(failure, 'the registration');
  return failed(`The platform does not take the registration now (${code}).`, adviceFor(code), code);
}

function openPin({ deps, onboarding }: StepContext): string {
  return deps.secretBox.open(onboarding.pinSealed ?? Buffer.alloc(0), sealContext(onboarding, 'pin'));
}
