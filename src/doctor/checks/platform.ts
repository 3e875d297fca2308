import type { Check, CheckContext, Verdict } from '../check.ts';

/** Days of the end of each Graph version whose end is announced. */
const VERSION_ENDS: Readonly<Record<string, string>> = {
  '19.0': '2026-05-21',
  '20.0': '2026-09-24',
  '21.0': '2027-01-21',
  '22.0': '2027-05-20',
  '23.0': '2027-10-08',
  '24.0': '2028-02-18',
  '25.0': '2028-07-29',
};

const VERSION_NOTICE_MS = 90 * 86_400_000;
const PLATFORM = { subject: 'platform' };

/** Checks of the platform's address. */
export const PLATFORM_CHECKS: readonly Check[] = [
  { id: 'platform-reachable', run: async (context) => [await judgeReach(context)] },
  { id: 'graph-version', run: ({ settings, clock }) => [judgeVersion(settings.upstreamBaseUrl, clock.now())] },
];

async function judgeReach(context: CheckContext): Promise<Verdict> {
  const [first] = await context.wabas();
  const answered = (await context.app()) ?? (first && (await context.subscription(first)));
  if (answered === undefined || (answered.kind === 'unavailable' && answered.reason === 'not_configured')) {
    return { ...PLATFORM, status: 'skipped', message: 'There is neither an app nor a business account to ask about.' };
  }
  if (answered.kind !== 'unavailable') return { ...PLATFORM, status: 'ok', message: 'The platform answers.' };
  return {
    ...PLATFORM,
    status: 'failed',
    message: `The platform gave no usable answer (${answered.reason}).`,
    advice: 'Check UPSTREAM_BASE_URL, DNS, the firewall and metastatus.com.',
  };
}

/** Judges the version in the platform's address. */
export function judgeVersion(baseUrl: string, nowMs: number): Verdict {
  const version = /\/v(\d+\.\d+)$/.exec(baseUrl)?.[1];
  if (version === undefined) {
    return {
      ...PLATFORM,
      status: 'warning',
      message: 'UPSTREAM_BASE_URL names no version: the platform chooses one.',
      advice: 'End it with a version, for example /v25.0.',
    };
  }
  const end = VERSION_ENDS[version];
  const leftMs = end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end) - nowMs;
  const isTooOld = end === undefined && Number(version) < 19;
  if (!isTooOld && leftMs > VERSION_NOTICE_MS) {
    return {
      ...PLATFORM,
      status: 'ok',
      message: end ? `v${version} ends on ${end}.` : `The end of v${version} is not known.`,
    };
  }
  const isOver = isTooOld || leftMs <= 0;
  return {
    ...PLATFORM,
    status: isOver ? 'failed' : 'warning',
    message: isOver ? `v${version} has ended: the platform uses its oldest version.` : `v${version} ends on ${end}.`,
    advice: 'Read the changelog of the newer versions, then raise the version in UPSTREAM_BASE_URL.',
  };
}
