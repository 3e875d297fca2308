import type { Check, Verdict } from '../check.ts';

const SUBJECT = 'gateway';

/** Checks the identity provider by which operators sign in at the console. */
export const IDENTITY_PROVIDER_CHECKS: readonly Check[] = [
  { id: 'identity-provider', run: async ({ checkProvider }) => [await judgeProvider(checkProvider)] },
];

async function judgeProvider(check: (() => Promise<void>) | null): Promise<Verdict> {
  if (check === null) return { subject: SUBJECT, status: 'skipped', message: 'OIDC_ISSUER is not set.' };
  try {
    await check();
    return { subject: SUBJECT, status: 'ok', message: 'As it should be.' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    return {
      subject: SUBJECT,
      status: 'failed',
      message: `The discovery document of OIDC_ISSUER cannot be used (${reason}): nobody can sign in by the identity provider.`,
      advice:
        'Compare OIDC_ISSUER with the "issuer" in <issuer>/.well-known/openid-configuration, and open that address from this machine.',
    };
  }
}
