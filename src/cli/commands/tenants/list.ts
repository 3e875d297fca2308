import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { renderTable } from '../../terminal/table.ts';
import { ago } from '../../terminal/times.ts';
import { readCount } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import type { Tenant } from './tenant.ts';

const PAGE_MAX = 100;

export function registerTenantsList(tenants: Command): void {
  addCommand(tenants, 'list', 'list tenants, newest first', ['fairway tenants list', 'fairway tenants list --json'])
    .option('--limit <count>', 'highest number of tenants', readCount, 100)
    .action(act(listTenants));
}

async function listTenants(cli: Cli, { limit }: { limit: number }): Promise<void> {
  const api = await cli.operator();
  const rows: Tenant[] = [];
  for await (const tenant of api.list<Tenant>('/admin/v1/organizations', { limit: Math.min(limit, PAGE_MAX) })) {
    if (rows.push(tenant) >= limit) break;
  }
  await cli.out.result({ data: rows }, () => {
    if (rows.length === 0) return 'No tenants.';
    return renderTable(
      [
        { title: 'ID', text: ({ id }) => id },
        { title: 'NAME', text: ({ name }) => name, wraps: true },
        { title: 'KIND', text: ({ test }) => (test ? 'test' : 'live') },
        { title: 'CREATED', text: (row) => ago(row.created_at) },
      ],
      rows,
    );
  });
}
