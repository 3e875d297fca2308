import type { Step } from '../step-context.ts';
import { done, failed } from '../steps.ts';

/**
 * Closes the exchange of the code. The exchange itself happens while the request with the code is served, because the code lives for 30
 * seconds and is never stored. If this step runs before a token is stored, that request ended without its answer.
 */
export const closeExchange: Step = async ({ onboarding }) => {
  if (onboarding.tokenSealed !== null) return done('An access token was given.');
  return failed(
    'The code was not exchanged for a token: the gateway stopped meanwhile.',
    'Connect again: a code works once, and for 30 seconds only.',
  );
};
