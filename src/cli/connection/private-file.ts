import { open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory } from '../../core/make-directory.ts';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

/** Returns the text of a file with secrets; undefined if it is missing. Refuses a file that other users can read or write. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path);
    const { mode, uid } = await file.stat();
    const user = process.geteuid?.();
    if (user !== undefined && uid !== user)
      throw new CliError(EXIT.usage, `${path} belongs to user ${uid}, and this is user ${user}.`);
    if (user !== undefined && (mode & 0o077) !== 0)
      throw new CliError(EXIT.usage, `${path} holds secrets, and other users may access it.`, {
        hint: `chmod 600 '${path}'`,
      });
    return await file.readFile('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file of mode 0600 in a directory of mode 0700. Renames a draft, so that a reader sees the old or the new file. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await makeDirectory(dirname(path));
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
