import { statfs } from 'node:fs/promises';
import type { Check, Verdict } from '../check.ts';
import { readNodes } from '../queries.ts';

const SUBJECT = 'gateway';
const SECRET_LENGTH_MIN = 16;
const SPOOL_BYTES_MIN = 512 * 1024 * 1024;

const ok: Verdict = { subject: SUBJECT, status: 'ok', message: 'As it should be.' };

/** Checks of this process: its secrets, its nodes, its disk. */
export const GATEWAY_CHECKS: readonly Check[] = [
  {
    id: 'admin-token',
    run: ({ settings }) => [judgeSecret(settings.adminToken, 'ADMIN_TOKEN')],
  },
  {
    id: 'verify-token',
    run: async ({ settings, apps }) => [
      judgeSecret(settings.verifyToken, 'UPSTREAM_VERIFY_TOKEN'),
      ...(await apps.list()).map(({ appId, verifyToken }) => ({
        ...judgeSecret(verifyToken, 'The verify token'),
        subject: `app ${appId}`,
      })),
    ],
  },
  {
    id: 'encryption-key',
    run: ({ settings }) => [
      settings.encryptionKeys.some((key) => new Set(key).size < 8)
        ? {
            subject: SUBJECT,
            status: 'failed',
            message: 'An encryption key is not random: stored tokens are not protected.',
            advice:
              'Put a new key (openssl rand -base64 32) before it in ENCRYPTION_KEY, restart, then remove the old one.',
          }
        : ok,
    ],
  },
  {
    id: 'app-secret',
    run: ({ settings }) => [
      settings.appSecrets.length === 0
        ? {
            subject: SUBJECT,
            status: 'failed',
            message: 'UPSTREAM_APP_SECRET is not set: every webhook of the platform is refused.',
            advice: "Set it to the app's secret from the app dashboard.",
          }
        : ok,
    ],
  },
  {
    id: 'nodes',
    async run({ db }) {
      const { dispatching, delivering, serving, orphanedShards } = await readNodes(db);
      const missing = [
        ...(dispatching === 0 ? ['dispatch'] : []),
        ...(delivering === 0 ? ['deliver'] : []),
        ...(serving === 0 ? ['api'] : []),
      ];
      if (missing.length > 0) {
        return [
          {
            subject: SUBJECT,
            status: 'failed',
            message: `No live node has the role ${missing.join(', ')}.`,
            advice: 'Start a node with this role (ROLES).',
          },
        ];
      }
      return orphanedShards === 0
        ? [ok]
        : [
            {
              subject: SUBJECT,
              status: 'warning',
              message: `${orphanedShards} shards are leased to a node that has not been seen for 30 seconds.`,
              advice: 'Look for an error about leases in the logs of the other nodes.',
            },
          ];
    },
  },
  {
    id: 'spool-disk',
    async run({ settings }) {
      const { bavail, bsize } = await statfs(settings.spoolDir);
      return [judgeFreeDisk(bavail * bsize)];
    },
  },
];

/** Judges the free space for uploads in transit. */
export function judgeFreeDisk(freeBytes: number): Verdict {
  if (freeBytes >= SPOOL_BYTES_MIN) return ok;
  return {
    subject: SUBJECT,
    status: 'warning',
    message: `The disk of uploads in transit has ${Math.floor(freeBytes / 1024 / 1024)} MiB left.`,
    advice: 'Free some space, or set TMPDIR to a larger disk.',
  };
}

function judgeSecret(secret: string, name: string): Verdict {
  if (secret.length >= SECRET_LENGTH_MIN && new Set(secret).size >= 8) return ok;
  return {
    subject: SUBJECT,
    status: 'failed',
    message: `${name} can be guessed: it is short, or repeats a few characters.`,
    advice: 'Set it to a random text, for example from openssl rand -hex 24.',
  };
}
