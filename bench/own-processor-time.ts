import { execFileSync } from 'node:child_process';

/**
 * Gives this process priority over all others, as if it ran on another machine: it does not wait for a processor behind the processes that
 * it measures. Without the necessary privilege, nothing changes.
 */
export function takeOwnProcessorTime(): void {
  try {
    execFileSync('chrt', ['--all-tasks', '--rr', '--pid', '1', String(process.pid)], { stdio: 'ignore' });
  } catch {}
}
