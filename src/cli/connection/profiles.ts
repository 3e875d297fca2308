import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/** A gateway, and the secrets to reach it with. */
export interface Profile {
  url: string;
  api_key?: string;
  admin_token?: string;
  /** Number that `send` uses without `--from`. */
  phone_number_id?: string;
  /** Address of the simulator behind the gateway. */
  simulator_url?: string;
}

/** The stored profiles by name. */
export interface Profiles {
  /** Name of the profile that is used if none is named. */
  default?: string;
  profiles: Record<string, Profile>;
}

/** Reads the profiles; none if the file is missing. */
export async function readProfiles(path: string): Promise<Profiles> {
  const text = await readPrivateFile(path);
  if (text === undefined) return { profiles: {} };
  try {
    const stored = JSON.parse(text) as Partial<Profiles> | null;
    return { ...stored, profiles: stored?.profiles ?? {} };
  } catch {
    throw new CliError(EXIT.usage, `${path} is not JSON.`, {
      hint: 'Repair it, or remove it and run `fairway login`.',
    });
  }
}

/** Stores the profiles for this user only. */
export async function writeProfiles(path: string, profiles: Profiles): Promise<void> {
  await writePrivateFile(path, `${JSON.stringify(profiles, null, 2)}\n`);
}
