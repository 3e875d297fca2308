import type { Onboarding } from './queries.ts';
import { storeProgress } from './queries.ts';
import { ClaimLost, type Step, type StepContext, type StepDeps } from './step-context.ts';
import { checkSubscription } from './steps/account-subscription.ts';
import { subscribeAppFields } from './steps/app-fields.ts';
import { checkToken } from './steps/check-token.ts';
import { connectAccount } from './steps/connect-account.ts';
import { closeExchange } from './steps/exchange-code.ts';
import { registerNumber } from './steps/register-number.ts';
import { sendTestMessage } from './steps/test-message.ts';
import { checkVerification } from './steps/verify-number.ts';
import { isOver, type Later, recordOf, type StepName, type StepResult, withStep } from './steps.ts';

const RUN: Readonly<Record<StepName, Step>> = {
  exchange_code: closeExchange,
  check_token: checkToken,
  connect_account: connectAccount,
  app_fields: subscribeAppFields,
  account_subscription: checkSubscription,
  verify_number: checkVerification,
  register_number: registerNumber,
  test_message: sendTestMessage,
};

/**
 * Runs the steps of a claimed onboarding until one needs a person, has to wait, or was the last. Returns the time in ms after which it goes
 * on; null if it rests. Raises ClaimLost if another node or a person has taken over.
 *
 * @param stops returns true if the process ends; the rest is then left to the next claim
 */
export async function runSteps(deps: StepDeps, claimed: Onboarding, stops: () => boolean): Promise<number | null> {
  let onboarding = claimed;
  const save = async (change: Partial<Onboarding>, rest?: { afterMs: number | null }) => {
    onboarding = { ...onboarding, ...change };
    if (!(await storeProgress(deps.db, onboarding, new Date(deps.clock.now()), rest))) throw new ClaimLost();
  };
  for (const { name } of claimed.steps) {
    const before = onboarding.steps.find((step) => step.name === name);
    if (before === undefined || isOver(before)) continue;
    if (stops()) {
      await save({}, { afterMs: 0 });
      return 0;
    }
    if (before.state !== 'running') {
      const running = recordOf(name, { state: 'running', message: 'In progress.' }, deps.clock.now());
      await save({ steps: withStep(onboarding.steps, running) });
    }
    const context: StepContext = {
      deps,
      get onboarding() {
        return onboarding;
      },
      store: (facts) => save(facts),
    };
    const result = await RUN[name](context);
    if (isLater(result)) {
      await save({ steps: withStep(onboarding.steps, waitingRecord(onboarding, name, result)) }, result);
      return result.afterMs;
    }
    const steps = withStep(onboarding.steps, recordOf(name, result, deps.clock.now()));
    deps.log.info(factsOf(onboarding, name, result), 'step of an onboarding ended');
    if (result.state === 'failed' || result.state === 'waiting') {
      await save({ steps, state: result.state }, { afterMs: null });
      return null;
    }
    await save({ steps });
  }
  // The person's number is needed for no other message.
  await save({ state: 'done', testRecipient: null, tokenSealed: null }, { afterMs: null });
  return null;
}

function isLater(result: StepResult | Later): result is Later {
  return 'afterMs' in result;
}

/** Returns the running step with its new words. Its time stays that of its beginning. */
function waitingRecord({ steps }: Onboarding, name: StepName, { message, code }: Later) {
  const at = steps.find((step) => step.name === name)?.at ?? null;
  const later = { state: 'running' as const, message, ...(code !== undefined && { code }) };
  return { ...recordOf(name, later, 0), at };
}

function factsOf({ organizationId, id, wabaId, phoneNumberId }: Onboarding, step: StepName, result: StepResult) {
  return { organizationId, onboardingId: id, wabaId, phoneNumberId, step, state: result.state, code: result.code };
}
