import { connectWaba, followRegistration, guardRegistration, syncWaba } from './accounts/index.ts';
import type { AppOptions } from './app-options.ts';
import { acceptTestMessage, findStatus } from './messages/index.ts';
import { createAppOf, Onboardings } from './onboarding/index.ts';
import { accountDepsOf, type Base, type Engine, type TenantParts } from './parts.ts';

export type OnboardingParts = ReturnType<typeof createOnboarding>;

/** Creates the work that takes accounts from an access token to a delivered message. */
export function createOnboarding(base: Base, tenants: TenantParts, engine: Engine, options: AppOptions) {
  const { db } = base;
  const { verifyToken, signupConfigId } = options.upstream;
  const accountDeps = accountDepsOf(base, engine.receiver, options.publicUrl);
  const send = { ...base, ...tenants, ...engine, lookups: base.sendLookups };
  const deps = {
    ...{ db, clock: base.clock, log: base.log, secretBox: base.secretBox, upstream: base.upstream, apps: base.apps },
    accounts: tenants.accounts,
    appOf: createAppOf(base.apps, { verifyToken, signupConfigurationId: signupConfigId }),
    publicUrl: options.publicUrl,
    connect: (organizationId: string, input: Parameters<typeof connectWaba>[2]) =>
      connectWaba(accountDeps, organizationId, input),
    readAccount: (wabaId: string) => syncWaba(accountDeps, wabaId),
    guardRegistration: (number: Parameters<typeof guardRegistration>[1]) => guardRegistration(base, number),
    followRegistration: (number: Parameters<typeof followRegistration>[1], registered: boolean) =>
      followRegistration(base, number, registered),
    sendTest: (organizationId: string, phoneNumberId: string, body: string, key: string) =>
      acceptTestMessage(send, organizationId, phoneNumberId, body, key),
    findTest: (organizationId: string, messageId: string) => findStatus(db, organizationId, messageId),
  };
  return { deps, work: new Onboardings(deps) };
}
