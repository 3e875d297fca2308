import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a directory of mode 0700, and those above it that are missing. Node's own way to do so never ends where nothing can be made, as in /proc. */
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
