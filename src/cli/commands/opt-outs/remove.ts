import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';

export function registerOptOutsRemove(optOuts: Command): void {
  addCommand(optOuts, 'remove <id>', 'end an opt-out', [
    'fairway opt-outs remove 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --yes',
  ])
    .option('--yes', 'end it without asking')
    .action(act(removeOptOut));
}

async function removeOptOut(cli: Cli, id: string, { yes }: { yes?: boolean }): Promise<void> {
  const api = await cli.tenant();
  await requireConfirmation(yes === true, `End opt-out ${id}? Marketing will be sent again.`, 'The opt-out stays.');
  await api.request('DELETE', `/v1/opt-outs/${encodeURIComponent(id)}`);
  await cli.out.result({ removed: id }, () => `Ended opt-out ${id}.`);
}
