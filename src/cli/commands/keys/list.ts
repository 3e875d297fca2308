import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';
import { act, addCommand } from '../command.ts';
import { listKeys } from './key.ts';

export function registerKeysList(keys: Command): void {
  addCommand(keys, 'list <tenant>', 'list the API keys of a tenant, newest first', [
    'fairway keys list 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
  ]).action(act(showKeys));
}

async function showKeys(cli: Cli, tenantId: string): Promise<void> {
  const rows = await listKeys(await cli.operator(), tenantId);
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No keys.';
    return renderTable(
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'NAME', text: ({ name }) => name, wraps: true },
        { title: 'BEGINS', text: ({ hint }) => hint },
        { title: 'SCOPES', text: ({ scopes }) => scopes?.join(' ') ?? 'all', wraps: true },
        { title: 'CREATED', text: (row) => ago(row.created_at) },
        { title: 'EXPIRES', text: (row) => row.expires_at },
        { title: 'DISABLED', text: (row) => ago(row.disabled_at) },
      ],
      rows,
    );
  });
}
