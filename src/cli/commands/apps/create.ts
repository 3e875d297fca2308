import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { readSecrets } from '../../terminal/secrets.ts';
import { act, addCommand } from '../command.ts';
import {
  APPS_PATH,
  type MetaApp,
  proofOption,
  renderApp,
  splitSecrets,
  wantedSecrets,
  wantedVerifyToken,
} from './app.ts';

interface CreateOptions {
  proof?: 'on' | 'off';
  signupConfiguration?: string;
}

export function registerAppsCreate(apps: Command): void {
  addCommand(apps, 'create <app-id> <name>', 'add a Meta app; its secret and verify token are asked for', [
    "fairway apps create 660011223344 'Agency app'",
    "fairway apps create 660011223344 'Agency app' --proof on < secret-and-verify-token.txt",
  ])
    .addOption(proofOption())
    .option('--signup-configuration <id>', 'configuration of Facebook Login for Business, for set-up links')
    .action(act(createApp));
}

async function createApp(cli: Cli, id: string, name: string, options: CreateOptions): Promise<void> {
  const { proof, signupConfiguration } = options;
  const api = await cli.operator();
  const [secrets = '', verifyToken = ''] = await readSecrets(cli, [wantedSecrets(cli), wantedVerifyToken(cli)]);
  const app = await api.post<MetaApp>(APPS_PATH, {
    app_id: id,
    name,
    secrets: splitSecrets(secrets),
    verify_token: verifyToken,
    secret_proof: proof && proof === 'on',
    signup_configuration_id: signupConfiguration,
  });
  await cli.out.result(app, () => renderApp(app));
}
