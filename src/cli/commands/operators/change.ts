import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { act, addCommand } from '../command.ts';
import { type Operator, operatorPath, renderOperator, roleOption } from './operator.ts';

interface ChangeOptions {
  name?: string;
  role?: string;
  expires?: string;
}

export function registerOperatorsChange(operators: Command): void {
  addCommand(operators, 'change <operator-id>', 'change the name, role or expiry of an operator', [
    'fairway operators change 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --role operator',
    'fairway operators change 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --expires never',
  ])
    .option('--name <name>', 'new name')
    .addOption(roleOption())
    .option('--expires <time>', 'time from which the token is refused, ISO 8601, or `never`')
    .action(act(changeOperator));
}

async function changeOperator(cli: Cli, id: string, { name, role, expires }: ChangeOptions): Promise<void> {
  if (name === undefined && role === undefined && expires === undefined)
    throw new CliError(EXIT.usage, 'Name a change: --name, --role or --expires.');
  const api = await cli.operator();
  const body = { name, role, expires_at: expires === 'never' ? null : expires };
  const operator = await api.request<Operator>('PATCH', operatorPath(id), { body });
  await cli.out.result(operator, () => renderOperator(operator));
}
