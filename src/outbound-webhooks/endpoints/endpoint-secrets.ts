import type { SecretBox } from '../../core/secret-box.ts';
import { createSigner, type Signer } from '../attempt/webhook-request.ts';
import type { Endpoint } from '../endpoint.ts';

type Owner = Pick<Endpoint, 'organizationId' | 'id'>;

/** Seals an endpoint's secret for storage. */
export function sealSecret(secretBox: SecretBox, owner: Owner, secret: string): Buffer {
  return secretBox.seal(secret, contextOf(owner));
}

/** Opens an endpoint's secret. Throws when it was sealed under another key. */
export function openSecret(secretBox: SecretBox, endpoint: Endpoint): string {
  return secretBox.open(endpoint.secretSealed, contextOf(endpoint));
}

/** Opens what an endpoint's deliveries are signed with. Throws when it was sealed under another key. */
export function openSigner(secretBox: SecretBox, endpoint: Endpoint): Signer {
  const { oldSecret, format } = endpoint;
  const old = oldSecret && {
    secret: secretBox.open(oldSecret.sealed, contextOf(endpoint)),
    untilMs: oldSecret.untilMs,
  };
  return createSigner(format, openSecret(secretBox, endpoint), old ?? undefined);
}

/** What an endpoint's secrets are sealed for: moved to another row, they do not open. */
export function contextOf({ organizationId, id }: Owner): string {
  return `${organizationId}|webhook|${id}`;
}
