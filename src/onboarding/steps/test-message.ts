import { AppError } from '../../core/errors.ts';
import { adviceFor, ofError } from '../platform-fault.ts';
import type { Step, StepContext, TestStatus } from '../step-context.ts';
import { done, failed, type Later, type StepResult, skipped } from '../steps.ts';

/** Interval of looks at the message's status. */
const LOOK_MS = 250;
/** Time after which a message without a report of its delivery is a fault. */
const DELIVERY_MS = 120_000;

/** Sends the test message through the ordinary queue, and follows it until it is delivered or has failed. */
export const sendTestMessage: Step = async (context) => {
  const { deps, onboarding } = context;
  const { organizationId, messageId } = onboarding;
  if (messageId === null) return await send(context);
  const found = await deps.findTest(organizationId, messageId);
  if (found === undefined) return failed('The test message is no longer stored.', 'Repeat this step with a recipient.');
  return judge(context, found);
};

async function send({ deps, onboarding, store }: StepContext): Promise<StepResult | Later> {
  const { organizationId, id, attempt, phoneNumberId, testRecipient, templateName, templateLanguage } = onboarding;
  if (testRecipient === null) {
    return skipped('No test message was sent: no recipient is named.', 'Repeat this step with "test_recipient".');
  }
  if (phoneNumberId === null) return failed('No number is chosen.', 'Repeat the step connect_account.');
  const template = { name: templateName, language: { code: templateLanguage } };
  const body = JSON.stringify({ messaging_product: 'whatsapp', to: testRecipient, type: 'template', template });
  try {
    // The key makes a repeat after a crash find the first message.
    const sent = await deps.sendTest(organizationId, phoneNumberId, body, `onboarding ${id} ${attempt}`);
    await store({ messageId: sent.messageId });
  } catch (error) {
    return ofError(error, 'the test message', adviceOf(error, templateName, templateLanguage));
  }
  return { afterMs: LOOK_MS, message: 'The test message is in the queue.' };
}

function judge({ deps, onboarding }: StepContext, found: TestStatus): StepResult | Later {
  switch (found.status) {
    case 'delivered':
    case 'read':
      return done('The test message was delivered.');
    case 'failed': {
      const code = found.errorCode ?? 'SEND_FAILED';
      return failed(`The test message failed: ${found.errorMessage ?? 'no reason was given'}`, adviceFor(code), code);
    }
    default:
      break;
  }
  const begun = onboarding.steps.find(({ name }) => name === 'test_message')?.at;
  if (begun && deps.clock.now() - Date.parse(begun) > DELIVERY_MS) {
    return failed(
      `The test message is ${found.status}, but no report of its delivery came.`,
      'Check that the phone is on and that the webhooks arrive (`fairway doctor`). Repeat this step to look again.',
    );
  }
  const message = found.status === 'sent' ? 'The platform has the test message.' : 'The test message is in the queue.';
  return { afterMs: LOOK_MS, message };
}

function adviceOf(error: unknown, name: string, language: string): string {
  const code = error instanceof AppError ? error.code : '';
  switch (code) {
    case 'TEMPLATE_NOT_FOUND':
    case 'TEMPLATE_LANGUAGE_NOT_FOUND':
      return `Create the template ${name} in ${language}, or repeat this step with another "template".`;
    case 'TEMPLATE_NOT_APPROVED':
      return `Wait until the template ${name} is approved or no longer paused, or repeat this step with another "template".`;
    case 'ACCOUNT_NOT_REGISTERED':
      return 'Repeat the step register_number.';
    case 'RECIPIENT_OPTED_OUT':
      return 'The recipient wants no marketing. Use a utility template or another recipient.';
    default:
      return 'Remove the cause, then repeat this step.';
  }
}
