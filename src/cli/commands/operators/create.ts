import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { act, addCommand } from '../command.ts';
import { OPERATORS_PATH, type OperatorWithToken, renderToken, roleOption } from './operator.ts';

export function registerOperatorsCreate(operators: Command): void {
  addCommand(operators, 'create <name>', 'create an operator; the token is shown this once', [
    "fairway operators create 'Ada Example' --role support",
    'fairway operators create deploy-bot --role operator --expires 2027-06-01T00:00:00Z --json | jq -r .token',
  ])
    .addOption(roleOption().makeOptionMandatory())
    .option('--expires <time>', 'time from which the token is refused, ISO 8601')
    .action(act(createOperator));
}

async function createOperator(cli: Cli, name: string, options: { role: string; expires?: string }): Promise<void> {
  const { role, expires } = options;
  const api = await cli.operator();
  const created = await api.post<OperatorWithToken>(OPERATORS_PATH, { name, role, expires_at: expires });
  await cli.out.result(created, () => renderToken(created));
}
