import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { readSecrets } from '../../terminal/secrets.ts';
import { act, addCommand } from '../command.ts';
import {
  appPath,
  type MetaApp,
  proofOption,
  renderApp,
  splitSecrets,
  wantedSecrets,
  wantedVerifyToken,
} from './app.ts';

interface UpdateOptions {
  name?: string;
  secrets?: boolean;
  verifyToken?: boolean;
  proof?: 'on' | 'off';
  signupConfiguration?: string;
}

export function registerAppsUpdate(apps: Command): void {
  addCommand(apps, 'update <app-id>', 'change a Meta app; what no option names stays', [
    'fairway apps update 660011223344 --secrets',
    'fairway apps update 660011223344 --proof on --signup-configuration none',
  ])
    .option('--name <name>', 'new name')
    .option('--secrets', 'ask for other secrets')
    .option('--verify-token', 'ask for another verify token')
    .addOption(proofOption())
    .option('--signup-configuration <id>', 'configuration of Facebook Login for Business, or `none`')
    .action(act(updateApp));
}

async function updateApp(cli: Cli, id: string, options: UpdateOptions): Promise<void> {
  const { name, proof, signupConfiguration } = options;
  const isChange = Object.values(options).some((value) => value !== undefined);
  if (!isChange)
    throw new CliError(
      EXIT.usage,
      'Name a change: --name, --secrets, --verify-token, --proof or --signup-configuration.',
    );
  const api = await cli.operator();
  const body = {
    ...(await readNewSecrets(cli, options)),
    name,
    secret_proof: proof && proof === 'on',
    signup_configuration_id: signupConfiguration === 'none' ? null : signupConfiguration,
  };
  const app = await api.request<MetaApp>('PATCH', appPath(id), { body });
  await cli.out.result(app, () => renderApp(app));
}

async function readNewSecrets(cli: Cli, { secrets, verifyToken }: UpdateOptions) {
  const answers = await readSecrets(cli, [
    ...(secrets === true ? [wantedSecrets(cli)] : []),
    ...(verifyToken === true ? [wantedVerifyToken(cli)] : []),
  ]);
  return {
    ...(secrets === true && { secrets: splitSecrets(answers.shift() ?? '') }),
    ...(verifyToken === true && { verify_token: answers.shift() }),
  };
}
