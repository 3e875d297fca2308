/** The steps from an access to a delivered message, in their order. */
export const STEPS = [
  'exchange_code',
  'check_token',
  'connect_account',
  'app_fields',
  'account_subscription',
  'verify_number',
  'register_number',
  'test_message',
] as const;

export type StepName = (typeof STEPS)[number];

export const STEP_STATES = ['waiting', 'running', 'done', 'failed', 'skipped'] as const;

/** States of the whole: `waiting` waits for a person's choice, `failed` for the repeat of a step. */
export const ONBOARDING_STATES = ['running', 'waiting', 'failed', 'done', 'ended'] as const;
export type OnboardingState = (typeof ONBOARDING_STATES)[number];

/** An account or a number that a person may choose. */
interface Choice {
  id: string;
  label: string;
}

/** The result of a step, in plain words. */
export interface StepResult {
  state: (typeof STEP_STATES)[number];
  /** The facts that the step found. */
  message: string;
  /** The platform's or the gateway's code of the fault. */
  code?: string;
  /** The next action of a person. */
  advice?: string;
  choices?: Choice[];
}

/** A step as it is stored. */
export interface StepRecord {
  name: StepName;
  state: StepResult['state'];
  /** Time of the last change, in ISO 8601; null if the step has not begun. */
  at: string | null;
  message: string | null;
  code: string | null;
  advice: string | null;
  choices: Choice[];
}

/** A result that is not final: the step is tried again after `afterMs`. */
export interface Later {
  afterMs: number;
  message: string;
  code?: string;
}

/** Returns the steps before the first one has begun. */
export function freshSteps(): StepRecord[] {
  return STEPS.map(waitingStep);
}

export function waitingStep(name: StepName): StepRecord {
  return { name, state: 'waiting', at: null, message: null, code: null, advice: null, choices: [] };
}

export function recordOf(name: StepName, result: StepResult, nowMs: number): StepRecord {
  const { state, message, code = null, advice = null, choices = [] } = result;
  return { name, state, at: new Date(nowMs).toISOString(), message, code, advice, choices };
}

/** Returns true for a step that needs no more work. */
export function isOver({ state }: Pick<StepRecord, 'state'>): boolean {
  return state === 'done' || state === 'skipped';
}

/** Returns the steps with one of them replaced. */
export function withStep(steps: readonly StepRecord[], step: StepRecord): StepRecord[] {
  return steps.map((one) => (one.name === step.name ? step : one));
}

export function done(message: string, advice?: string): StepResult {
  return { state: 'done', message, ...(advice !== undefined && { advice }) };
}

export function skipped(message: string, advice?: string): StepResult {
  return { state: 'skipped', message, ...(advice !== undefined && { advice }) };
}

export function failed(message: string, advice: string, code?: string): StepResult {
  return { state: 'failed', message, advice, ...(code !== undefined && { code }) };
}
