import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import { EXIT } from '../exit-codes.ts';
import { localGatewayPath, readLocalGateway } from './local-gateway.ts';
import { type Profile, readProfiles } from './profiles.ts';

/** The gateway that a command talks to. */
export interface Connection {
  /** Base URL without a trailing slash. */
  url: string;
  apiKey: string | undefined;
  adminToken: string | undefined;
  phoneNumberId: string | undefined;
  /** Address of the simulator behind the gateway. */
  simulatorUrl: string | undefined;
  /** Source of URL and credentials, for people. */
  source: string;
  /** Next step if no gateway answers. */
  unreachableHint: string;
}

/**
 * Chooses the gateway, from the first of: `--profile`, `--url`, FAIRWAY_PROFILE, FAIRWAY_URL, the gateway that runs in this checkout, the
 * default profile. URL and credentials come from the same source. Without this, a profile's key could be sent to another host.
 */
export async function chooseConnection(
  options: { profile?: string | undefined; url?: string | undefined },
  env: Environment,
): Promise<Connection> {
  if (options.profile !== undefined) return await fromProfile(options.profile, env);
  if (options.url !== undefined) return fromEnvironment(options.url, '--url', env);
  if (env.profile !== undefined) return await fromProfile(env.profile, env);
  if (env.url !== undefined) return fromEnvironment(env.url, 'FAIRWAY_URL', env);
  const local = await readLocalGateway(env.dataDir);
  if (local !== undefined) {
    const path = localGatewayPath(env.dataDir);
    return toConnection(local, 'the gateway of this checkout', `It has ended: run \`npm start\`, or remove ${path}.`);
  }
  const { default: name } = await readProfiles(env.profilesPath);
  if (name !== undefined) return await fromProfile(name, env);
  throw new CliError(EXIT.unauthorized, 'No gateway is configured.', {
    hint: 'Run `npm start` in this checkout, or `fairway login`, or set FAIRWAY_URL with FAIRWAY_API_KEY or FAIRWAY_ADMIN_TOKEN.',
  });
}

async function fromProfile(name: string, env: Environment): Promise<Connection> {
  const { profiles } = await readProfiles(env.profilesPath);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined)
    throw new CliError(EXIT.usage, `There is no profile "${name}" in ${env.profilesPath}.`, {
      hint: `Run \`fairway login --profile ${name}\`, or \`fairway profiles\`.`,
    });
  return toConnection(profile, `profile ${name}`, `Check the URL of profile ${name}.`);
}

function fromEnvironment(url: string, source: string, env: Environment): Connection {
  return {
    url: readBaseUrl(url),
    apiKey: env.apiKey,
    adminToken: env.adminToken,
    phoneNumberId: env.phoneNumberId,
    simulatorUrl: env.simulatorUrl,
    source,
    unreachableHint: `Check ${source}.`,
  };
}

function toConnection(profile: Profile, source: string, unreachableHint: string): Connection {
  return {
    url: readBaseUrl(profile.url),
    apiKey: profile.api_key,
    adminToken: profile.admin_token,
    phoneNumberId: profile.phone_number_id,
    simulatorUrl: profile.simulator_url,
    source,
    unreachableHint,
  };
}

/** Returns the base URL without a trailing slash. Does not quote a wrong one, which may hold a password. */
export function readBaseUrl(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain || /[?#]/.test(url.href))
    throw new CliError(EXIT.usage, 'The URL must be http(s), without credentials, query or fragment.');
  return url.href.replace(/\/+$/, '');
}
