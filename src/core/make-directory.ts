import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Creates a directory of mode 0700 and its missing parents. Node's `recursive` option hangs if creation is impossible, as in /proc. */
export async function makeDirectory(path: string): Promise<void> {
  const make = () =>
    mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await make();
  });
}
