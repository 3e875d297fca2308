import { type Style, styled } from '../../terminal/output.ts';

/** A finding of the admin API, as far as the command reads it. */
export interface Finding {
  id: string;
  subject: string;
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  advice: string | null;
  doc: string;
  fixable: boolean;
}

/** An attempted repair. */
export interface Fix {
  id: string;
  subject: string;
  done: boolean;
  message: string;
}

const STYLES: Record<Finding['status'], Style> = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' };
const INDENT = ' '.repeat(9);

/**
 * Renders findings for people, faults last so that they stay in view.
 * @param showsAll false to leave out passed and skipped checks
 * @param isAfterFix true if repairs were tried already, so that nothing recommends them
 */
export function renderFindings(findings: readonly Finding[], showsAll: boolean, isAfterFix: boolean): string {
  const order = ['ok', 'skipped', 'warning', 'failed'] as const;
  const shown = order
    .filter((status) => showsAll || status === 'warning' || status === 'failed')
    .flatMap((status) => findings.filter((finding) => finding.status === status));
  const counts = order.map((status) => `${findings.filter((finding) => finding.status === status).length} ${status}`);
  const fixable = findings.filter((finding) => finding.fixable).length;
  return [
    ...shown.map(renderFinding),
    styled('bold', counts.join(', ')),
    ...(fixable === 0 || isAfterFix ? [] : [`fairway doctor --fix repairs ${fixable} of them.`]),
  ].join('\n');
}

function renderFinding({ id, subject, status, message, advice, doc }: Finding): string {
  const lines = [
    `${styled(STYLES[status], status.padEnd(INDENT.length))}${styled('bold', id)}  ${styled('reset', subject)}`,
    `${INDENT}${styled('reset', message)}`,
  ];
  if (advice !== null) lines.push(`${INDENT}${styled('cyan', advice)}`, `${INDENT}${styled('dim', doc)}`);
  return lines.join('\n');
}

/** Renders the attempted repairs, one a line. */
export function renderFixes(fixes: readonly Fix[]): string {
  if (fixes.length === 0) return 'Nothing can be repaired.';
  return fixes
    .map(({ id, subject, done, message }) =>
      [
        styled(done ? 'green' : 'red', (done ? 'repaired' : 'not').padEnd(INDENT.length)),
        styled('bold', id),
        `  ${styled('reset', done ? subject : `${subject}: ${message}`)}`,
      ].join(''),
    )
    .join('\n');
}
