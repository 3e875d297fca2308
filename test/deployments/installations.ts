import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { binariesIn, findServerBinaries } from '../../src/embedded-postgres/server-binaries.ts';
import { INSTALLATION } from './postgres-server.ts';

const PACKAGES = '/usr/lib/postgresql';

/** One PostgreSQL of this machine. */
export interface Installation {
  dir: string;
  major: number;
}

/** The servers of Debian's packages, oldest first. */
export function packagedInstallations(): Installation[] {
  const majors = existsSync(PACKAGES) ? readdirSync(PACKAGES).map(Number) : [];
  return majors
    .filter((major) => existsSync(binariesIn(join(PACKAGES, String(major))).postgres))
    .sort((a, b) => a - b)
    .map((major) => ({ dir: join(PACKAGES, String(major)), major }));
}

/** The gateway's own server, which has no client programs. */
export async function embeddedInstallation(): Promise<Installation> {
  return { dir: (await findServerBinaries()).rootDir, major: 18 };
}

/** The oldest supported server. */
export const OLDEST: Installation = { dir: INSTALLATION, major: 15 };
