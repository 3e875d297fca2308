import type { Logger } from 'pino';
import type { Accounts, ConnectedWaba, SendingNumber } from '../accounts/index.ts';
import type { Apps } from '../apps/index.ts';
import type { SecretBox } from '../core/secret-box.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../database/database.ts';
import type { Upstream } from '../upstream/index.ts';
import type { AppOf } from './onboarding-app.ts';
import type { Onboarding, OnboardingFacts } from './queries.ts';
import type { Later, StepResult } from './steps.ts';

/** State of the test message. */
export interface TestStatus {
  status: string;
  errorCode: string | null;
  errorMessage: string | null;
}

export interface StepDeps {
  db: Database;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  secretBox: SecretBox;
  accounts: Pick<Accounts, 'tokenOf' | 'listNumbersOfWaba'>;
  upstream: Pick<
    Upstream,
    | 'debugToken'
    | 'exchangeCode'
    | 'readAppWebhooks'
    | 'subscribeAppFields'
    | 'readSubscription'
    | 'subscribeApp'
    | 'readNumberState'
    | 'registerNumber'
    | 'requestNumberCode'
    | 'verifyNumber'
  >;
  apps: Pick<Apps, 'defaultAppId' | 'defaultCredentials' | 'find' | 'list'>;
  appOf: AppOf;
  publicUrl: string | null;
  /** Connects an account. An `appId` of undefined has the connect ask the platform for the app of the token. */
  connect: (
    organizationId: string,
    input: { wabaId: string; accessToken: string; appId: string | null | undefined },
  ) => Promise<ConnectedWaba>;
  /** Reads a connected account again. */
  readAccount: (wabaId: string) => Promise<unknown>;
  /** Counts a registration; raises RATE_LIMITED before the platform would lock the number. */
  guardRegistration: (number: SendingNumber) => Promise<void>;
  followRegistration: (number: SendingNumber, registered: boolean) => Promise<void>;
  /** Accepts the test message onto the queue, once for each key. */
  sendTest: (
    organizationId: string,
    phoneNumberId: string,
    body: string,
    key: string,
  ) => Promise<{ messageId: string }>;
  findTest: (organizationId: string, messageId: string) => Promise<TestStatus | undefined>;
}

/** A step's view of its onboarding. */
export interface StepContext {
  deps: StepDeps;
  onboarding: Onboarding;
  /** Stores facts before an effect that depends on them; raises ClaimLost if another node has taken over. */
  store: (facts: Partial<OnboardingFacts>) => Promise<void>;
}

/** A step of an onboarding. Each may run again at any time: it looks at the platform before it changes anything. */
export type Step = (context: StepContext) => Promise<StepResult | Later>;

/** Another node has taken over, or a person has changed the onboarding. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** Returns the context that the secrets of an onboarding are sealed for. */
export function sealContext({ organizationId, id }: Pick<Onboarding, 'organizationId' | 'id'>, kind: 'token' | 'pin') {
  return `${organizationId}|onboarding ${kind}|${id}`;
}

/** Returns the access token: the onboarding's own, or the connected account's; undefined without one. */
export async function accessTokenOf({ deps, onboarding }: StepContext): Promise<string | undefined> {
  const { organizationId, tokenSealed, wabaId } = onboarding;
  if (tokenSealed !== null) return deps.secretBox.open(tokenSealed, sealContext(onboarding, 'token'));
  if (wabaId === null) return undefined;
  return (await deps.accounts.tokenOf(organizationId, wabaId)).token;
}

/** Returns the chosen number with its account's token. */
export async function chosenNumber({ deps, onboarding }: StepContext): Promise<SendingNumber | undefined> {
  const { organizationId, wabaId, phoneNumberId } = onboarding;
  if (wabaId === null) return undefined;
  const numbers = await deps.accounts.listNumbersOfWaba(organizationId, wabaId);
  return numbers.find((number) => number.phoneNumberId === phoneNumberId);
}
