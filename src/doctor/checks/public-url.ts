import { verifyOwnAddress } from '../../egress/index.ts';
import type { Check, Verdict } from '../check.ts';

const SUBJECT = 'gateway';

/** Checks `PUBLIC_URL`: set, encrypted, and leading to this gateway. Proves the last with the handshake of the platform. */
export const PUBLIC_URL_CHECKS: readonly Check[] = [
  {
    id: 'public-url-set',
    run: ({ settings }) => [
      settings.publicUrl === null
        ? {
            subject: SUBJECT,
            status: 'warning',
            message: 'PUBLIC_URL is not set: addresses in answers follow each request, and overrides cannot be judged.',
            advice: 'Set PUBLIC_URL to the address that clients and the platform use.',
          }
        : { subject: SUBJECT, status: 'ok', message: 'It is set.' },
    ],
  },
  {
    id: 'public-url-https',
    run({ settings: { publicUrl } }) {
      if (publicUrl === null) return [skipped('PUBLIC_URL is not set.')];
      return [
        isProtected(publicUrl)
          ? { subject: SUBJECT, status: 'ok', message: 'It is encrypted, or stays on this machine.' }
          : {
              subject: SUBJECT,
              status: 'failed',
              message: 'PUBLIC_URL is not encrypted: keys and messages of tenants can be read on their way.',
              advice: 'Put a proxy with a certificate before the gateway, and set PUBLIC_URL to its https address.',
            },
      ];
    },
  },
  {
    id: 'public-url-reachable',
    async run({ settings: { publicUrl, verifyToken } }) {
      if (publicUrl === null) return [skipped('PUBLIC_URL is not set.')];
      // The handshake carries the verify token, which must not travel in the clear.
      if (!isProtected(publicUrl)) return [skipped('PUBLIC_URL is not encrypted.')];
      return [
        (await verifyOwnAddress(`${publicUrl}/webhooks/upstream`, verifyToken))
          ? { subject: SUBJECT, status: 'ok', message: 'It leads to this gateway.' }
          : {
              subject: SUBJECT,
              status: 'failed',
              message: 'PUBLIC_URL does not lead to this gateway: the handshake of the platform fails there.',
              advice: 'Check DNS, the proxy and its certificate; GET /webhooks/upstream must reach the gateway.',
            },
      ];
    },
  },
];

/** True for https, and for an address that stays on this machine. */
export function isProtected(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

function skipped(message: string): Verdict {
  return { subject: SUBJECT, status: 'skipped', message };
}
