import { refuseDeletedApp, storableApp } from '../apps/index.ts';
import { AppError, invalid } from '../core/errors.ts';
import { isUuid, newId } from '../core/ids.ts';
import { parseRecipient } from '../core/phone-number.ts';
import type { Queryable } from '../database/database.ts';
import { getOrganization } from '../organizations/index.ts';
import { whyUnknown } from './onboarding-app.ts';
import { ofFailure } from './platform-fault.ts';
import { beginAnew, findOnboarding, insertOnboarding, type Onboarding, storeProgress } from './queries.ts';
import { type StepDeps, sealContext } from './step-context.ts';
import {
  done,
  freshSteps,
  isOver,
  recordOf,
  STEPS,
  type StepName,
  type StepRecord,
  type StepResult,
  waitingStep,
  withStep,
} from './steps.ts';

export interface ChangeDeps
  extends Pick<StepDeps, 'db' | 'clock' | 'log' | 'secretBox' | 'upstream' | 'apps' | 'appOf'> {
  /** Makes this node look for due onboardings at once. */
  wake: () => void;
}

/** What a person gives when an onboarding begins or a step is repeated. */
export interface Given {
  /** The Meta app of the token or the code; null stands for the app of the environment. */
  appId?: string | null | undefined;
  accessToken?: string | undefined;
  code?: string | undefined;
  redirectUri?: string | undefined;
  wabaId?: string | undefined;
  phoneNumberId?: string | undefined;
  pin?: string | undefined;
  testRecipient?: string | undefined;
  template?: Template | undefined;
}

export interface Template {
  name: string;
  language: string;
}

/** The template that the platform gives to every new account. */
export const DEFAULT_TEMPLATE: Template = { name: 'hello_world', language: 'en_US' };
/** Time after which an exchange without a result counts as interrupted, in seconds. It is longer than the call's own time limit. */
const EXCHANGE_SECONDS = 30;
const CODE_ADVICE = 'Connect again: a code works once, for 30 seconds, and with the address of its dialog only.';

/**
 * Begins an onboarding with a token, or with a code that is exchanged before this resolves. Raises NOT_FOUND, and VALIDATION_ERROR for a
 * test organization, which has its account already, and CONFLICT for a set-up link that has begun one.
 */
export async function beginOnboarding(
  deps: ChangeDeps,
  organizationId: string,
  given: Given,
  setupLinkId: string | null = null,
): Promise<Onboarding> {
  const { db, clock } = deps;
  const organization = await getOrganization(deps, organizationId);
  if (organization.test) throw invalid('A test organization has its business account already.');
  const { code, accessToken } = given;
  if ((code === undefined) === (accessToken === undefined)) {
    throw invalid('Either "access_token" or "code" must be given, and not both.');
  }
  const nowMs = clock.now();
  const exchange: StepResult =
    code === undefined
      ? { state: 'skipped', message: 'An access token was given.' }
      : { state: 'running', message: 'In progress.' };
  const begun = {
    ...{ organizationId: organization.id, id: newId(nowMs), setupLinkId },
    createdAt: new Date(nowMs),
    ...{ state: 'running' as const, steps: withStep(freshSteps(), recordOf('exchange_code', exchange, nowMs)) },
    ...{ tokenSealed: null, pinSealed: null, appId: null, wabaId: null, phoneNumberId: null, testRecipient: null },
    ...{ templateName: DEFAULT_TEMPLATE.name, templateLanguage: DEFAULT_TEMPLATE.language },
    ...{ updatedAt: new Date(nowMs), replaceCallback: false, messageId: null, attempt: 1, epoch: 0, isClaimed: false },
  } satisfies Onboarding;
  const onboarding = { ...begun, ...factsOf(deps, begun, await withStorableApp(deps, given)) };
  const waitSeconds = code === undefined ? 0 : EXCHANGE_SECONDS;
  const isStored = await insertOnboarding(db, onboarding, waitSeconds).catch(refuseDeletedApp);
  if (!isStored) throw new AppError('CONFLICT', 'A sign-up of this link is in progress.');
  if (code === undefined) deps.wake();
  else await exchangeCode(deps, onboarding, code, given.redirectUri);
  return await getOnboarding(db, organization.id, onboarding.id);
}

/**
 * Repeats a step and all that follow it, with what a person gives or chooses. Raises NOT_FOUND, VALIDATION_ERROR, and CONFLICT while a step
 * is in progress and after the end.
 */
export async function repeatStep(
  deps: ChangeDeps,
  place: { organizationId: string; id: string; step: string },
  given: Given & { replaceCallback?: boolean | undefined },
): Promise<Onboarding> {
  const name = STEPS.find((one) => one === place.step);
  if (name === undefined) throw new AppError('NOT_FOUND', 'An onboarding has no step of this name.');
  if (name === 'exchange_code' && given.code === undefined) {
    throw invalid('"code" must be given: each code works once.');
  }
  if (name !== 'exchange_code' && given.code !== undefined) {
    throw invalid('"code" belongs to the step exchange_code.');
  }
  const { db, clock } = deps;
  const facts = await withStorableApp(deps, given);
  const begun = await db.transaction(async (tx) => {
    const stored = await getOnboarding(tx, place.organizationId, place.id, true);
    checkRests(stored);
    const { steps, isNewMessage } = stepsFrom(stored, name, given);
    const next: Onboarding = {
      ...(await beginAnew(tx, stored)),
      ...factsOf(deps, stored, facts),
      ...(given.replaceCallback === true && { replaceCallback: true }),
      // A token of an earlier code would pass for the one of this code.
      ...(given.code !== undefined && { tokenSealed: null }),
      ...(isNewMessage && { messageId: null, attempt: stored.attempt + 1 }),
      ...{ state: 'running', steps },
    };
    const rest = { afterMs: name === 'exchange_code' ? EXCHANGE_SECONDS * 1000 : 0 };
    await storeProgress(tx, next, new Date(clock.now()), rest).catch(refuseDeletedApp);
    return next;
  });
  if (given.code === undefined) deps.wake();
  else await exchangeCode(deps, begun, given.code, given.redirectUri);
  return await getOnboarding(db, place.organizationId, place.id);
}

/** Raises CONFLICT while a step is in progress, and after the end. */
export function checkRests({ state }: Pick<Onboarding, 'state'>): void {
  if (state === 'ended') throw new AppError('CONFLICT', 'This onboarding has ended. Begin another one.');
  if (state === 'running') {
    throw new AppError('CONFLICT', 'A step is in progress. Wait for its end, or end the onboarding.');
  }
}

/** Ends an onboarding, whatever it is doing: nothing more is called or sent. Raises NOT_FOUND. */
export async function endOnboarding({ db, clock }: ChangeDeps, organizationId: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const stored = await getOnboarding(tx, organizationId, id, true);
    const ended: Onboarding = {
      ...(await beginAnew(tx, stored)),
      ...{ state: 'ended', tokenSealed: null, testRecipient: null },
    };
    await storeProgress(tx, ended, new Date(clock.now()), { afterMs: null });
  });
}

/** Returns the PIN that the gateway set or was given, and forgets it. Raises NOT_FOUND without one, and CONFLICT while a step needs it. */
export async function takePin(
  { db, clock, secretBox }: ChangeDeps,
  organizationId: string,
  id: string,
): Promise<string> {
  return await db.transaction(async (tx) => {
    const stored = await getOnboarding(tx, organizationId, id, true);
    if (stored.pinSealed === null) throw new AppError('NOT_FOUND', 'This onboarding holds no PIN, or it was shown.');
    if (stored.state === 'running') throw new AppError('CONFLICT', 'A step is in progress. Wait for its end.');
    const pin = secretBox.open(stored.pinSealed, sealContext(stored, 'pin'));
    await storeProgress(tx, { ...stored, pinSealed: null }, new Date(clock.now()), { afterMs: null });
    return pin;
  });
}

/** Returns an onboarding of the organization. Raises NOT_FOUND. */
export async function getOnboarding(
  db: Queryable,
  organizationId: string,
  id: string,
  lock = false,
): Promise<Onboarding> {
  const found = isUuid(id) && isUuid(organizationId) ? await findOnboarding(db, organizationId, id, lock) : undefined;
  if (found === undefined) throw new AppError('NOT_FOUND', 'The organization has no onboarding with this id.');
  return found;
}

/** Returns the values with the id under which their app is stored. Raises VALIDATION_ERROR for an unknown app. */
async function withStorableApp(deps: Pick<ChangeDeps, 'apps'>, given: Given): Promise<Given> {
  const { appId } = given;
  return appId === undefined ? given : { ...given, appId: await storableApp(deps, appId) };
}

/** Returns the changed facts. Secrets are sealed for this onboarding. Raises VALIDATION_ERROR. */
function factsOf(
  { secretBox }: Pick<ChangeDeps, 'secretBox'>,
  onboarding: Pick<Onboarding, 'organizationId' | 'id'>,
  { appId, accessToken, wabaId, phoneNumberId, pin, testRecipient, template }: Given,
): Partial<Onboarding> {
  const digits = testRecipient === undefined ? undefined : parseRecipient(testRecipient);
  if (testRecipient !== undefined && digits === undefined) {
    throw invalid('"test_recipient" must be a phone number with "+" and country code.');
  }
  return {
    ...(appId !== undefined && { appId }),
    ...(accessToken !== undefined && { tokenSealed: secretBox.seal(accessToken, sealContext(onboarding, 'token')) }),
    ...(wabaId !== undefined && { wabaId }),
    ...(phoneNumberId !== undefined && { phoneNumberId }),
    ...(pin !== undefined && { pinSealed: secretBox.seal(pin, sealContext(onboarding, 'pin')) }),
    ...(digits !== undefined && { testRecipient: `+${digits}` }),
    ...(template !== undefined && { templateName: template.name, templateLanguage: template.language }),
  };
}

/**
 * Returns the steps with `name` and all later ones still to do. The steps before it stay, except that a new token or app is checked, and that
 * a new account is connected. A message goes out again only if the last one failed, or if a person names a recipient or a template.
 */
function stepsFrom({ steps, messageId }: Onboarding, name: StepName, given: Given) {
  const first = Math.min(
    STEPS.indexOf(name),
    given.accessToken === undefined && given.appId === undefined ? STEPS.length : STEPS.indexOf('check_token'),
    given.wabaId === undefined ? STEPS.length : STEPS.indexOf('check_token'),
  );
  const test = steps.find((step) => step.name === 'test_message');
  const isNamed = given.testRecipient !== undefined || given.template !== undefined;
  const isNewMessage = messageId !== null && (isNamed || (test?.state === 'failed' && test.code !== null));
  const redone = steps.map((step, index): StepRecord => {
    if (index < first && isOver(step)) return step;
    if (step.name === 'test_message' && isOver(step) && name !== 'test_message' && !isNamed) return step;
    return step.name === 'exchange_code' && given.code === undefined ? step : waitingStep(step.name);
  });
  return { steps: redone, isNewMessage };
}

/** Exchanges a code at once, and stores the token or the fault. */
async function exchangeCode(
  deps: ChangeDeps,
  onboarding: Onboarding,
  code: string,
  redirectUri: string | undefined,
): Promise<void> {
  const { db, clock, upstream, log } = deps;
  const app = await deps.appOf(onboarding);
  const answer =
    app === null ? undefined : await upstream.exchangeCode(app, { code, redirectUri: redirectUri ?? null });
  const result = answer === undefined ? withoutApp(onboarding) : exchangeResult(answer);
  const tokenSealed =
    answer?.kind === 'ok' ? deps.secretBox.seal(answer.value.accessToken, sealContext(onboarding, 'token')) : null;
  const { organizationId, id } = onboarding;
  log.info({ organizationId, onboardingId: id, state: result.state, code: result.code }, 'code of a sign-up exchanged');
  const steps = withStep(onboarding.steps, recordOf('exchange_code', result, clock.now()));
  const next = { ...onboarding, steps, tokenSealed, state: tokenSealed === null ? 'failed' : 'running' } as const;
  await storeProgress(db, next, new Date(clock.now()), { afterMs: tokenSealed === null ? null : 0 });
  deps.wake();
}

function withoutApp(onboarding: Onboarding): StepResult {
  const { reason, advice } = whyUnknown(onboarding);
  return { state: 'failed', message: `The code was not exchanged: ${reason}`, advice: `${advice} Then connect again.` };
}

function exchangeResult(answer: Awaited<ReturnType<StepDeps['upstream']['exchangeCode']>>): StepResult {
  if (answer.kind === 'ok') return done('The code was exchanged for an access token.');
  const fault = ofFailure(answer, 'the exchange of the code');
  const message = 'afterMs' in fault ? 'The platform did not answer before the code expired.' : fault.message;
  return { state: 'failed', message, advice: CODE_ADVICE, ...(fault.code !== undefined && { code: fault.code }) };
}
