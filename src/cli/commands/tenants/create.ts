import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { act, addCommand } from '../command.ts';
import { renderTenant, type Tenant } from './tenant.ts';

export function registerTenantsCreate(tenants: Command): void {
  addCommand(tenants, 'create <name>', 'create a tenant', [
    "fairway tenants create 'Example Ltd'",
    "fairway tenants create 'Example Ltd' --json | jq -r .id",
    "fairway tenants create 'Example Ltd, tests' --test",
  ])
    .option('--test', 'a test organization: reaches the built-in simulator only, for good')
    .action(act(createTenant));
}

async function createTenant(cli: Cli, name: string, { test = false }: { test?: boolean }): Promise<void> {
  const tenant = await (await cli.operator()).post<Tenant>('/admin/v1/organizations', { name, ...(test && { test }) });
  await cli.out.result(tenant, () => renderTenant(tenant));
}
