import type { Evidence, Findings } from './checker.ts';

/** Parts of a report besides the findings. */
export interface RunSummary {
  seed: number;
  untimed: boolean;
  seconds: number;
  faults: ReadonlyMap<string, number>;
  notices: readonly string[];
  runDir: string;
}

/** The result of a run. */
export interface Verdict {
  report: string;
  /** True if no promise was broken. */
  isClean: boolean;
}

const EXAMPLES_MAX = 10;

const TITLES: Record<keyof Findings, string> = {
  lost: 'lost',
  duplicated: 'duplicated',
  misordered: 'misordered',
  overspeed: 'limit violations',
  stuck: 'stuck',
  keyBroken: 'idempotency broken',
  wrongStatus: 'wrong status',
  clientErrors: 'client errors in rolling restarts',
  slowFailover: 'slow failovers',
};

/** Findings that a machine too slow for the load may cause. */
const TIMED: ReadonlySet<keyof Findings> = new Set(['overspeed', 'stuck', 'clientErrors', 'slowFailover']);

/** Returns true if nothing was found; if `untimed`, ignores the findings that a slow machine may cause. */
export function isClean(findings: Findings, untimed: boolean): boolean {
  const kinds = Object.keys(findings) as (keyof Findings)[];
  return kinds.every((kind) => findings[kind].length === 0 || (untimed && TIMED.has(kind)));
}

/** Formats the report of a run as text. */
export function describeRun(summary: RunSummary, evidence: Evidence, findings: Findings): string {
  const { records, messages, sends, queue } = evidence;
  const accepted = records.filter((record) => record.outcome === 'accepted').length;
  const unknown = records.filter((record) => record.outcome === 'unknown').length;
  const taken = sends.filter((send) => send.wamid !== null).length;
  const failedOf = Map.groupBy(
    messages.filter((message) => message.status === 4),
    (message) => message.errorCode ?? '?',
  );
  const failed = [...failedOf].map(([code, list]) => `${list.length} x ${code}`).join(', ') || 'none';
  const lines = [
    `chaos: seed ${summary.seed}, ${Math.round(summary.seconds)} s, run directory ${summary.runDir}`,
    '',
    'faults',
    ...[...summary.faults].sort().map(([name, count]) => `  ${String(count).padStart(5)}  ${name}`),
    '',
    'traffic',
    `  ${accepted} accepted, ${unknown} without a definite answer, ${messages.length} stored`,
    `  ${sends.length} requests reached the upstream, ${taken} were accepted`,
    `  ${evidence.resentIds.size} sent once more after an unknown outcome, ${queue.length} left in the queue`,
    `  failed: ${failed}`,
    `  failover: ${evidence.failovers.map(({ how, gapMs }) => `${how} ${Math.round(gapMs)} ms`).join(', ') || 'not measured'}`,
    ...summary.notices.map((notice) => `  note: ${notice}`),
    '',
    'findings',
    ...Object.entries(findings).flatMap(([kind, list]: [string, string[]]) => [
      `  ${String(list.length).padStart(5)}  ${TITLES[kind as keyof Findings]}`,
      ...list.slice(0, EXAMPLES_MAX).map((example) => `           ${example}`),
    ]),
    '',
    isClean(findings, summary.untimed)
      ? `chaos: every promise was kept${summary.untimed ? ', except those that depend on the machine' : ''}`
      : `chaos: PROMISES WERE BROKEN, repeat with --seed ${summary.seed}`,
  ];
  return `${lines.join('\n')}\n`;
}
