import { execFileSync } from 'node:child_process';

/**
 * Has this process run before all others when it has something to do, as one on another machine would: it does not wait for a processor
 * that those use which it measures. Needs the right to; without, nothing changes.
 */
export function takeOwnProcessorTime(): void {
  try {
    execFileSync('chrt', ['--all-tasks', '--rr', '--pid', '1', String(process.pid)], { stdio: 'ignore' });
  } catch {}
}
