import { safeText } from './safe-text.ts';

export interface Progress {
  /** Shows the number of items done so far. */
  show(done: number): void;
  /** Leaves the last state on the terminal. */
  stop(): void;
}

const BAR_MAX = 40;
const COLUMNS = 80;

/**
 * Shows the progress of a long command on standard error, if that is a terminal.
 * @param total number of items; undefined if it is unknown, which shows a count without a bar
 */
export async function startProgress(label: string, total: number | undefined): Promise<Progress> {
  const { default: progress } = await import('cli-progress');
  const name = safeText(label);
  const bar = new progress.SingleBar(
    {
      format: total === undefined ? `${name} {value}` : `${name} [{bar}] {value}/{total}`,
      stream: process.stderr,
      clearOnComplete: false,
      gracefulExit: false,
      formatBar: (share) => renderBar(share, name.length + 2 * String(total).length + ' [] /'.length),
    },
    progress.Presets.legacy,
  );
  bar.start(total ?? 1, 0);
  return {
    show(done) {
      // More items can match than were counted before.
      if (total !== undefined && done > total) bar.setTotal(done);
      bar.update(done);
    },
    stop() {
      bar.stop();
    },
  };
}

/** Renders a bar that leaves room for `others` characters in the terminal as it is now. */
function renderBar(share: number, others: number): string {
  const columns = process.stderr.columns ?? COLUMNS;
  const size = Math.max(0, Math.min(BAR_MAX, columns - 1 - others));
  const done = Math.round(share * size);
  return '='.repeat(done) + '-'.repeat(size - done);
}
