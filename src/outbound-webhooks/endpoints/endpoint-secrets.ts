import type { SecretBox } from '../../core/secret-box.ts';
import { createSigner, type Signer } from '../attempt/webhook-request.ts';
import type { Endpoint } from '../endpoint.ts';

type Owner = Pick<Endpoint, 'organizationId' | 'id'>;

/** Seals an endpoint's secret for storage. */
export function sealSecret(secretBox: SecretBox, owner: Owner, secret: string): Buffer {
  return secretBox.seal(secret, contextOf(owner));
}

/** Opens an endpoint's secret. Throws if it was sealed under another key. */
export function openSecret(secretBox: SecretBox, endpoint: Endpoint): string {
  return secretBox.open(endpoint.secretSealed, contextOf(endpoint));
}

/** Opens the secrets that sign an endpoint's deliveries. Throws if they were sealed under another key. */
export function openSigner(secretBox: SecretBox, endpoint: Endpoint): Signer {
  const { oldSecret, format } = endpoint;
  const old = oldSecret && {
    secret: secretBox.open(oldSecret.sealed, contextOf(endpoint)),
    untilMs: oldSecret.untilMs,
  };
  return createSigner(format, openSecret(secretBox, endpoint), old ?? undefined);
}

/** Returns the context of an endpoint's sealed secrets. Without this, a secret would still open after it was moved to another row. */
export function contextOf({ organizationId, id }: Owner): string {
  return `${organizationId}|webhook|${id}`;
}
