import { verifyOwnAddress } from '../../egress/index.ts';
import type { Check, DoctorSettings, PublicUrlState, Verdict } from '../check.ts';

const SUBJECT = 'gateway';

/** Checks `PUBLIC_URL`: set, encrypted, and leading to this gateway. */
export const PUBLIC_URL_CHECKS: readonly Check[] = [
  publicUrlCheck('public-url-set', {
    unset: {
      status: 'warning',
      message: 'PUBLIC_URL is not set: addresses in answers follow each request, and overrides cannot be judged.',
      advice: 'Set PUBLIC_URL to the address that clients and the platform use.',
    },
  }),
  publicUrlCheck('public-url-https', {
    unset: { status: 'skipped', message: 'PUBLIC_URL is not set.' },
    unprotected: {
      status: 'failed',
      message: 'PUBLIC_URL is not encrypted: keys and messages of tenants can be read on their way.',
      advice: 'Put a proxy with a certificate before the gateway, and set PUBLIC_URL to its https address.',
    },
  }),
  publicUrlCheck('public-url-reachable', {
    unset: { status: 'skipped', message: 'PUBLIC_URL is not set.' },
    unprotected: { status: 'skipped', message: 'PUBLIC_URL is not encrypted.' },
    unreachable: {
      status: 'failed',
      message: 'PUBLIC_URL does not lead to this gateway: the handshake of the platform fails there.',
      advice: 'Check DNS, the proxy and its certificate; GET /webhooks/upstream must reach the gateway.',
    },
  }),
];

/** Reads the state of `PUBLIC_URL`. Proves by the platform's handshake that it leads to this gateway. */
export async function readPublicUrl({
  publicUrl,
  verifyToken,
}: Pick<DoctorSettings, 'publicUrl' | 'verifyToken'>): Promise<PublicUrlState> {
  if (publicUrl === null) return 'unset';
  // The handshake carries the verify token, which must not travel in the clear.
  if (!isProtected(publicUrl)) return 'unprotected';
  return (await verifyOwnAddress(`${publicUrl}/webhooks/upstream`, verifyToken)) ? 'working' : 'unreachable';
}

/** True for https, and for an address that stays on this machine. */
function isProtected(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

function publicUrlCheck(id: string, verdicts: { [State in PublicUrlState]?: Omit<Verdict, 'subject'> }): Check {
  return {
    id,
    async run({ publicUrl }) {
      return [{ subject: SUBJECT, ...(verdicts[await publicUrl()] ?? { status: 'ok', message: 'As it should be.' }) }];
    },
  };
}
