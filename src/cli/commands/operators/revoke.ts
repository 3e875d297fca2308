import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';
import { operatorPath } from './operator.ts';

export function registerOperatorsRevoke(operators: Command): void {
  addCommand(operators, 'revoke <operator-id>', 'refuse the tokens of an operator for good', [
    'fairway operators revoke 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --yes',
  ])
    .option('--yes', 'revoke without asking')
    .action(act(revokeOperator));
}

async function revokeOperator(cli: Cli, id: string, { yes }: { yes?: boolean }): Promise<void> {
  const api = await cli.operator();
  await requireConfirmation(yes === true, `Revoke ${id}? This cannot be undone.`, 'Nobody was revoked.');
  await api.request('DELETE', operatorPath(id));
  await cli.out.result({ revoked: id }, () => `Revoked operator ${id}.`);
}
