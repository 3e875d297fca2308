import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';
import { appPath } from './app.ts';

export function registerAppsDelete(apps: Command): void {
  addCommand(apps, 'delete <app-id>', 'delete a Meta app that no business account has', [
    'fairway apps delete 660011223344 --yes',
  ])
    .option('--yes', 'delete without asking')
    .action(act(deleteApp));
}

async function deleteApp(cli: Cli, id: string, { yes }: { yes?: boolean }): Promise<void> {
  const api = await cli.operator();
  const question = `Delete app ${id}? Its webhooks are refused from then on.`;
  await requireConfirmation(yes === true, question, 'Nothing was deleted.');
  await api.request('DELETE', appPath(id));
  await cli.out.result({ deleted: id }, () => `Deleted app ${id}.`);
}
