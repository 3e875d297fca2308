import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { binariesIn, type ServerBinaries } from './server-binaries.ts';

// Directories that every user can read and only root can write to, so that no other user can plant binaries.
const sharedDirs = ['/var/cache', '/var/lib', '/usr/local/lib'];

/**
 * Copies an installation to a directory from which every user of this machine can run it, and returns the copy. Returns null if no such
 * directory is writable. The copy is named after the digest of its server program and stays for later starts.
 */
export async function copyBinaries(binaries: ServerBinaries): Promise<ServerBinaries | null> {
  const digest = createHash('sha256')
    .update(await readFile(binaries.postgres))
    .digest('hex')
    .slice(0, 16);
  const name = `fairway-postgres-${digest}`;
  for (const parent of sharedDirs) {
    const target = join(parent, name);
    if (existsSync(target)) return binariesIn(target);
    const copied = await copyReadable(binaries.rootDir, target).catch(() => false);
    if (copied) return binariesIn(target);
  }
  return null;
}

async function copyReadable(source: string, target: string): Promise<boolean> {
  const staging = await mkdtemp(`${target}.`);
  try {
    await cp(source, staging, { recursive: true, verbatimSymlinks: true });
    for (const entry of await readdir(staging, { recursive: true, withFileTypes: true })) {
      if (entry.isSymbolicLink()) continue;
      const path = join(entry.parentPath, entry.name);
      const executable = entry.isDirectory() || (await stat(path)).mode & 0o100;
      await chmod(path, executable ? 0o755 : 0o644);
    }
    await chmod(staging, 0o755);
    await rename(staging, target);
    return true;
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another start was faster; its copy is equal.
    if (existsSync(target)) return true;
    throw error;
  }
}
