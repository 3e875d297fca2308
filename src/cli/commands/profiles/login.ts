import type { Command } from 'commander';
import { Api } from '../../api/api.ts';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { readBaseUrl } from '../../connection/choose-connection.ts';
import { type Profile, readProfiles, writeProfiles } from '../../connection/profiles.ts';
import { EXIT } from '../../exit-codes.ts';
import { askSecret, askText } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';
const API_KEY = /^fw_/;

export function registerLogin(program: Command): void {
  addCommand(program, 'login', 'store a gateway and its API key or admin token as a profile', [
    'fairway login',
    'fairway login --profile staging --url https://messaging.example.com',
  ]).action(act(login));
}

async function login(cli: Cli): Promise<void> {
  const name = cli.options.profile ?? 'default';
  const url = readBaseUrl(cli.options.url ?? (await askText('URL of the gateway:', DEFAULT_URL)));
  const secret = await askSecret('API key or admin token:');
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw new CliError(EXIT.usage, 'A key or token has printable ASCII characters only.');
  const profile: Profile = API_KEY.test(secret) ? { url, api_key: secret } : { url, admin_token: secret };
  await verify(cli, profile);
  if (profile.api_key !== undefined) {
    const number = await askText('ID of the number to send from (empty: ask with --from):');
    if (number !== '') profile.phone_number_id = number;
  }
  const path = cli.env.profilesPath;
  const stored = await readProfiles(path);
  const before = Object.hasOwn(stored.profiles, name) ? stored.profiles[name] : undefined;
  // A profile may hold a key and a token of the same gateway.
  const merged = before?.url === url ? { ...before, ...profile } : profile;
  await writeProfiles(path, { default: stored.default ?? name, profiles: { ...stored.profiles, [name]: merged } });
  await cli.out.result({ profile: name, url }, () => `Stored profile ${name} in ${path}.`);
}

/** Makes one harmless request with the credential; throws if the gateway refuses it. */
async function verify(cli: Cli, { url, api_key, admin_token }: Profile): Promise<void> {
  const options = { url, signal: cli.signal, unreachableHint: 'Check the URL.' };
  if (api_key !== undefined) await new Api({ ...options, token: api_key }).get('/v1/messages', { limit: 1 });
  else await new Api({ ...options, token: admin_token }).get('/admin/v1/organizations', { limit: 1 });
}
