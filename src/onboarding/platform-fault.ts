import { AppError } from '../core/errors.ts';
import type { CallFailure } from '../upstream/index.ts';
import { failed, type Later, type StepResult } from './steps.ts';

/** The next action of a person after a refusal, by the platform's code. */
const ADVICE: Readonly<Record<string, string>> = {
  '10': 'Give the app the missing permission at the platform, then repeat this step with a new token.',
  '100':
    'Check the id, and that the business has shared the account with the app. Then repeat this step, or connect again with a new token.',
  '190': 'The token is expired, revoked or malformed. Connect again, or repeat this step with a new token.',
  '200': 'The token may not use this account. Assign the account to the system user, or connect again and choose it.',
  '131026': 'The recipient cannot get the message: check that the number uses WhatsApp, then repeat this step.',
  '131030':
    'A test number reaches only the recipients of its list. Add the recipient to the list in the app dashboard.',
  '131031': 'The business account is locked. Read the reason in WhatsApp Manager and appeal there.',
  '131037': 'The display name of the number needs an approval. Set it in WhatsApp Manager and wait for the review.',
  '131042': 'Add a payment method to the business account in WhatsApp Manager under billing, then repeat this step.',
  '131049': 'The platform limits marketing to this person. Use a utility template or another recipient.',
  '131050': 'The recipient wants no marketing from this business. Use a utility template or another recipient.',
  '132001': 'The template does not exist in this language. Create it, or repeat this step with another template.',
  '132015': 'The template is paused because of low quality. Repeat this step with another template.',
  '132016': 'The template is disabled. Repeat this step with another template.',
  '133005':
    'The number has another PIN. Repeat this step with the PIN, or switch two-step verification off in WhatsApp Manager first.',
  '133006': 'The number is not verified. Repeat the step verify_number with a code by SMS or voice call.',
  '133008': 'Too many wrong PINs were tried. Wait as long as the platform says, then repeat this step with the PIN.',
  '133009': 'PINs were tried too fast. Wait a minute, then repeat this step.',
  '133010': 'The number is not registered. Repeat the step register_number.',
  '133015': 'The number was deleted a short time ago. Wait five minutes, then repeat this step.',
  '133016':
    'The number was registered or deregistered ten times within 72 hours. Wait until 72 hours have passed, then repeat this step.',
  '136025': 'The code is wrong or has expired. Ask for another one.',
};

const OTHER = "Follow the platform's words above, then repeat this step.";
const RETRY_MS = 2_000;

export function adviceFor(code: string): string {
  return ADVICE[code] ?? OTHER;
}

/** Returns the result of a call that failed: a fault in plain words, or another attempt while the platform is not available. */
export function ofFailure(failure: CallFailure, action: string): StepResult | Later {
  if (failure.kind === 'rejected' || failure.kind === 'credential') {
    return failed(
      `The platform refused ${action}: ${failure.provider.error_user_msg}`,
      adviceFor(failure.code),
      failure.code,
    );
  }
  const waitMs = Math.min(failure.retryAfterMs ?? RETRY_MS, 60_000);
  return failure.kind === 'throttled'
    ? { afterMs: waitMs, message: 'The platform takes no more calls for now. Trying again.', code: failure.code }
    : { afterMs: waitMs, message: 'The platform gives no usable answer. Trying again.' };
}

/** Returns the result of an action of this gateway that raised an error. Any other error than an AppError is raised again. */
export function ofError(error: unknown, action: string, advice: string): StepResult | Later {
  if (!(error instanceof AppError)) throw error;
  const { code, message, details } = error;
  const platform = details.provider_error;
  if (code === 'UNAVAILABLE')
    return { afterMs: (details.retryAfterSeconds ?? 2) * 1000, message: `${message} Trying again.`, code };
  if (platform === undefined) return failed(`The gateway refused ${action}: ${message}`, advice, code);
  return failed(
    `The platform refused ${action}: ${platform.error_user_msg}`,
    adviceFor(String(platform.code)),
    String(platform.code),
  );
}
