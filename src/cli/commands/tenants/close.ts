import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { requireConfirmation } from '../../terminal/prompts.ts';
import { act, addCommand } from '../command.ts';
import { type Tenant, tenantPath } from './tenant.ts';

export function registerTenantsClose(tenants: Command): void {
  addCommand(
    tenants,
    'close <tenant>',
    'disable the keys and endpoints of a tenant, disconnect its business accounts',
    ['fairway tenants close 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30'],
  )
    .option('--yes', 'close without asking')
    .action(act(closeTenant));
}

async function closeTenant(cli: Cli, id: string, options: { yes?: boolean }): Promise<void> {
  const api = await cli.operator();
  const tenant = await api.get<Tenant>(tenantPath(id));
  const wabas = await Array.fromAsync(api.list(`${tenantPath(id)}/wabas`));
  await requireConfirmation(
    options.yes === true,
    `Close ${tenant.name}, disable its keys, disconnect business accounts (${wabas.length})?`,
    'Nothing was closed.',
  );
  await api.request('DELETE', tenantPath(id));
  await cli.out.result({ closed: tenant.id }, () => `Closed ${tenant.name}.`);
}
