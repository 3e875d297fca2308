import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';
import { wabaPath } from './waba.ts';

export function registerWabasDisconnect(wabas: Command): void {
  addCommand(wabas, 'disconnect <waba-id>', 'disconnect a business account; its waiting messages fail', [
    'fairway wabas disconnect 102290129340398 --yes',
  ])
    .option('--yes', 'disconnect without asking')
    .action(act(disconnectWaba));
}

async function disconnectWaba(cli: Cli, id: string, options: { yes?: boolean }): Promise<void> {
  const api = await cli.operator();
  await requireConfirmation(
    options.yes === true,
    `Disconnect business account ${id}? Its numbers stop sending, and its waiting messages fail.`,
    'Nothing was disconnected.',
  );
  await api.request('DELETE', wabaPath(id));
  await cli.out.result({ disconnected: id }, () => `Disconnected ${id}.`);
}
