import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';
import type { Profile } from './profiles.ts';

/** The profile of the demo, which the gateway writes into its data directory as long as it runs. */
interface LocalGateway extends Profile {
  pid: number;
}

/** Returns the path of the file in `dataDir`. */
export function localGatewayPath(dataDir: string): string {
  return join(dataDir, 'local-gateway.json');
}

/** Returns the profile of the gateway that runs on this data directory, or that was killed there; undefined if there is none. */
export async function readLocalGateway(dataDir: string): Promise<Profile | undefined> {
  const text = await readPrivateFile(localGatewayPath(dataDir));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as LocalGateway;
  } catch {
    throw new CliError(EXIT.usage, `${localGatewayPath(dataDir)} is not JSON.`, {
      hint: 'Remove it, and run `npm start` again.',
    });
  }
}

/** Stores how to reach this process. */
export async function announceLocalGateway(dataDir: string, profile: Profile): Promise<void> {
  const local: LocalGateway = { ...profile, pid: process.pid };
  await writePrivateFile(localGatewayPath(dataDir), `${JSON.stringify(local)}\n`);
}

/** Removes the file, unless another process has replaced it. */
export async function withdrawLocalGateway(dataDir: string): Promise<void> {
  const text = await readPrivateFile(localGatewayPath(dataDir));
  if (text !== undefined && (JSON.parse(text) as LocalGateway).pid === process.pid) await rm(localGatewayPath(dataDir));
}
