import { Option } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import type { WantedSecret } from '../../terminal/secrets.ts';
import { renderFields } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';

export const APPS_PATH = '/admin/v1/apps';

/** A further Meta app as the admin API shows it. Times are ISO 8601. */
export interface MetaApp {
  app_id: string;
  name: string;
  /** Number of its secrets. */
  secrets: number;
  secret_proof: boolean;
  signup_configuration_id: string | null;
  created_at: string;
  secrets_changed_at: string;
}

export function appPath(id: string): string {
  return `${APPS_PATH}/${encodeURIComponent(id)}`;
}

/** Returns the option `--proof`. */
export function proofOption(): Option {
  return new Option('--proof <on|off>', 'on if the app requires a proof of its secret with each call').choices([
    'on',
    'off',
  ]);
}

/** Returns the secrets of an app in the form that a command reads. */
export function wantedSecrets({ env }: Cli): WantedSecret {
  return { name: 'app secret', given: env.appSecret };
}

/** Returns the verify token of an app in the form that a command reads. */
export function wantedVerifyToken({ env }: Cli): WantedSecret {
  return { name: 'verify token', given: env.verifyToken };
}

/** Returns one secret, or two that are separated by a comma. */
export function splitSecrets(text: string): string[] {
  const secrets = text.split(',').filter((secret) => secret !== '');
  if (secrets.length === 0 || secrets.length > 2)
    throw new CliError(EXIT.usage, 'An app has one secret, or two during a rotation.');
  return secrets;
}

/** Renders an app for people. */
export function renderApp(app: MetaApp): string {
  return renderFields([
    ['id', app.app_id],
    ['name', app.name],
    ['secrets', `${app.secrets}, changed ${ago(app.secrets_changed_at)}`],
    ['proof', app.secret_proof ? 'on' : 'off'],
    ['sign-up', app.signup_configuration_id ?? 'not set up'],
    ['webhooks', `/webhooks/upstream/${app.app_id}`],
  ]);
}
