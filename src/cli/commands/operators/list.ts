import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { OPERATORS_PATH, type Operator } from './operator.ts';

const PAGE_MAX = 100;

export function registerOperatorsList(operators: Command): void {
  addCommand(operators, 'list', 'list operators, newest first, revoked ones too', [
    'fairway operators list',
    'fairway operators list --json',
  ])
    .option('--limit <count>', 'highest number of operators', readCount, 100)
    .action(act(listOperators));
}

async function listOperators(cli: Cli, { limit }: { limit: number }): Promise<void> {
  const api = await cli.operator();
  const rows: Operator[] = [];
  for await (const operator of api.list<Operator>(OPERATORS_PATH, { limit: Math.min(limit, PAGE_MAX) }))
    if (rows.push(operator) >= limit) break;
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No operators.';
    return renderTable(
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'NAME', text: ({ name }) => name, wraps: true },
        { title: 'ROLE', text: ({ role }) => role },
        { title: 'BEGINS', text: ({ hint, identity }) => hint ?? identity?.email ?? identity?.subject ?? '' },
        { title: 'LAST USED', text: (row) => ago(row.last_used_at) },
        { title: 'EXPIRES', text: (row) => row.expires_at },
        { title: 'REVOKED', text: (row) => ago(row.revoked_at) },
      ],
      rows,
    );
  });
}
