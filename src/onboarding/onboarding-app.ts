import { type Apps, credentialsOf } from '../apps/index.ts';
import { type AppCredentials, webhookPathOf } from '../upstream/index.ts';

/** The Meta app of an onboarding: by it the account is shared, its token is checked, and its webhooks come. */
export interface OnboardingApp extends AppCredentials {
  /** Token that the platform presents when it checks the address of the app's webhooks. */
  verifyToken: string;
  /** The configuration of the sign-up in the app dashboard; null if it is not known. */
  signupConfigurationId: string | null;
  /** Path of the app's webhooks at this gateway. */
  webhookPath: string;
}

/** Finds the app of an onboarding or of a set-up link; null if its id or its secret is not known here. */
export type AppOf = (one: { appId: string | null }) => Promise<OnboardingApp | null>;

/** Creates the search for the app of an onboarding. Null as its id stands for the app of the environment. */
export function createAppOf(
  apps: Pick<Apps, 'find' | 'defaultCredentials'>,
  own: Pick<OnboardingApp, 'verifyToken' | 'signupConfigurationId'>,
): AppOf {
  return async ({ appId }) => {
    if (appId === null) {
      const credentials = apps.defaultCredentials;
      return credentials && { ...credentials, ...own, webhookPath: webhookPathOf(null) };
    }
    const app = await apps.find(appId);
    if (app === undefined) return null;
    const { verifyToken, signupConfigurationId } = app;
    return { ...credentialsOf(app), verifyToken, signupConfigurationId, webhookPath: webhookPathOf(appId) };
  };
}

/** Returns the reason for which an app is not known here, and the next action of an operator. */
export function whyUnknown({ appId }: { appId: string | null }): { reason: string; advice: string } {
  return appId === null
    ? {
        reason: 'UPSTREAM_APP_ID or UPSTREAM_APP_SECRET is not set.',
        advice: 'Set both, or name another app with "app_id".',
      }
    : { reason: `no key opens the secrets of the app ${appId}.`, advice: "Set the app's secrets again." };
}
