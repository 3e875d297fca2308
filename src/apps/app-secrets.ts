import type { SecretBox } from '../core/secret-box.ts';
import type { SealedApp } from './queries.ts';

/** Returns the context that the secrets of an app are sealed for. A secret moved to another row cannot be opened. */
export function appSecretContext(appId: string): string {
  return `app|${appId}|secret`;
}

/** Returns the context that the verify token of an app is sealed for. */
export function verifyTokenContext(appId: string): string {
  return `app|${appId}|verify token`;
}

/** Secrets of an app in the clear. */
export interface AppSecrets {
  /** One, or two during a rotation. The first proves calls; the platform may sign webhooks with either. */
  secrets: readonly string[];
  verifyToken: string;
}

/** Opens the secrets of an app. Throws if no key opens them. */
export function openAppSecrets(
  secretBox: Pick<SecretBox, 'open'>,
  { appId, secretsSealed, verifyTokenSealed }: SealedApp,
): AppSecrets {
  return {
    secrets: secretsSealed.map((sealed) => secretBox.open(sealed, appSecretContext(appId))),
    verifyToken: secretBox.open(verifyTokenSealed, verifyTokenContext(appId)),
  };
}

/** Seals the secrets of an app; absent ones stay absent. */
export function sealAppSecrets(
  secretBox: Pick<SecretBox, 'seal'>,
  appId: string,
  { secrets, verifyToken }: Partial<AppSecrets>,
): { secretsSealed: Buffer[] | undefined; verifyTokenSealed: Buffer | undefined } {
  return {
    secretsSealed: secrets?.map((secret) => secretBox.seal(secret, appSecretContext(appId))),
    verifyTokenSealed: verifyToken === undefined ? undefined : secretBox.seal(verifyToken, verifyTokenContext(appId)),
  };
}
