import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Another revision of this repository, installed in a directory of its own until it is removed. */
export interface Checkout {
  dir: string;
  remove(): Promise<void>;
}

/** Checks out a Git revision of this repository and installs its dependencies. */
export async function checkOut(revision: string): Promise<Checkout> {
  const dir = join(await mkdtemp(join(tmpdir(), 'fairway-bench-revision-')), 'checkout');
  await run('git', ['worktree', 'add', '--detach', dir, revision], { cwd: import.meta.dirname });
  process.stderr.write(`installing ${revision} …\n`);
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: dir });
  return {
    dir,
    async remove() {
      await run('git', ['worktree', 'remove', '--force', dir], { cwd: import.meta.dirname });
      await rm(dirname(dir), { recursive: true, force: true });
    },
  };
}
