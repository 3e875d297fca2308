import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';
import { disableKey } from './key.ts';

export function registerKeysDisable(keys: Command): void {
  addCommand(keys, 'disable <key-id>', 'disable an API key for good', [
    'fairway keys disable 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e31 --yes',
  ])
    .option('--yes', 'disable without asking')
    .action(act(disable));
}

async function disable(cli: Cli, id: string, options: { yes?: boolean }): Promise<void> {
  const api = await cli.operator();
  await requireConfirmation(
    options.yes === true,
    `Disable key ${id}? This cannot be undone.`,
    'The key was not disabled.',
  );
  await disableKey(api, id);
  await cli.out.result({ disabled: id }, () => `Disabled key ${id}.`);
}
