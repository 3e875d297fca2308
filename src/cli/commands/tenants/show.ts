import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { styled } from '../../terminal/output.ts';
import { act, addCommand } from '../command.ts';
import { renderUsage, type Usage } from '../usage/usage.ts';
import { type Plan, renderPlan } from './plan-view.ts';
import { renderTenant, type Tenant, tenantPath } from './tenant.ts';

export function registerTenantsShow(tenants: Command): void {
  addCommand(tenants, 'show <tenant>', 'show a tenant with its plan and the usage of this month', [
    'fairway tenants show 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
  ]).action(act(showTenant));
}

async function showTenant(cli: Cli, id: string): Promise<void> {
  const api = await cli.operator();
  const tenant = await api.get<Tenant>(tenantPath(id));
  const [plan, usage] = await Promise.all([
    api.get<Plan>(`${tenantPath(id)}/plan`),
    api.get<Usage>(`${tenantPath(id)}/usage`),
  ]);
  await cli.out.result({ ...tenant, plan, usage }, () =>
    [renderTenant(tenant), styled('bold', 'Plan'), renderPlan(plan), styled('bold', 'Usage'), renderUsage(usage)].join(
      '\n',
    ),
  );
}
