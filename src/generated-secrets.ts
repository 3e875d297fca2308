import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from './core/make-directory.ts';

/** Secrets that the environment does not set; generated once and kept in `dataDir`. */
export interface GeneratedSecrets {
  /** Keys of 32 bytes each; the first one seals. */
  encryptionKeys: readonly Buffer[];
  adminToken: string;
}

/**
 * Returns the given secrets. A secret that is not given (empty list, `null`) is read from `dataDir`, and generated there if missing: a file
 * of mode 0600 in a directory of mode 0700. Two processes that start at once get the same secrets.
 */
export async function loadGeneratedSecrets(
  dataDir: string,
  given: { encryptionKeys: readonly Buffer[]; adminToken: string | null },
): Promise<GeneratedSecrets> {
  return {
    encryptionKeys: given.encryptionKeys.length > 0 ? given.encryptionKeys : [await loadEncryptionKey(dataDir)],
    adminToken:
      given.adminToken ?? (await loadSecret(dataDir, 'admin-token', () => randomBytes(24).toString('base64url'))),
  };
}

async function loadEncryptionKey(dataDir: string): Promise<Buffer> {
  const text = await loadSecret(dataDir, 'encryption-key', () => randomBytes(32).toString('base64'));
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32)
    throw new Error(`${join(dataDir, 'encryption-key')} is damaged: it must hold 32 bytes in base64`);
  return key;
}

/** Reads the secret in the file `name`; the first process that needs it creates it with `make`. */
async function loadSecret(dataDir: string, name: string, make: () => string): Promise<string> {
  const path = join(dataDir, name);
  const known = await findSecret(path);
  if (known !== undefined) return known;

  await makeDirectory(dataDir);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${make()}\n`);
    await file.sync();
    // Unlike writing in place or renaming, a link never shows a half-written secret and never replaces another process's secret.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await unlink(draft);
  }
  await syncDirectory(dataDir);
  const made = await findSecret(path);
  if (made === undefined) throw new Error(`${path} disappeared while it was being created`);
  return made;
}

/** Makes a new directory entry durable. Without this, sealed data could survive a power loss and its key could not. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function findSecret(path: string): Promise<string | undefined> {
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    if (secret === '') throw new Error(`${path} is empty: restore it, or remove it so that a new secret is generated`);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
