import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Runs the tests of one share of a folder's files in this process, file by file: to load what they stand on, and to warm it up, costs
 * more than most of them. The shares of all parts are the whole folder. Each file may be run alone as well, and has to leave the process
 * as it found it.
 */
export async function importTests(folder: string, { part, of }: { part: number; of: number }): Promise<void> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.test.ts')).sort();
  for (const [place, name] of names.entries()) {
    if (place % of === part - 1) await import(join(folder, name));
  }
}
