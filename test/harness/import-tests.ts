import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Runs one share of a folder's test files in this process, file by file, because loading and warming up the product costs more than most
 * tests. The shares of all parts are the whole folder. Each file may also run alone, and must leave the process as it found it.
 */
export async function importTests(folder: string, { part, of }: { part: number; of: number }): Promise<void> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.test.ts')).sort();
  for (const [place, name] of names.entries()) {
    if (place % of === part - 1) await import(join(folder, name));
  }
}
