import type { Command } from 'commander';
import type { Cli } from '../../cli.ts';
import { readLimit } from '../arguments.ts';
import { act, addCommand } from '../command.ts';
import { type Plan, renderPlan } from './plan-view.ts';
import { tenantPath } from './tenant.ts';

type Limit = ReturnType<typeof readLimit>;

interface PlanOptions {
  name?: string;
  activate?: boolean;
  suspend?: boolean;
  messages?: Limit;
  budget?: Limit;
  requests?: Limit;
  keyRequests?: Limit;
  waiting?: Limit;
  freeService?: Limit;
  types?: string;
  categories?: string;
}

export function registerTenantsPlan(tenants: Command): void {
  addCommand(tenants, 'plan <tenant>', 'show the plan of a tenant, or change the given limits', [
    'fairway tenants plan 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
    'fairway tenants plan 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --messages 10000 --budget 250',
    'fairway tenants plan 0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30 --messages unlimited',
  ])
    .option('--name <name>', 'name of the plan')
    .option('--suspend', 'refuse every send')
    .option('--activate', 'end a suspension')
    .option('--messages <count>', 'messages a month, or `unlimited`', readLimit)
    .option('--budget <amount>', 'money a month, or `unlimited`', readLimit)
    .option('--requests <rate>', 'requests a second of all keys, or `unlimited`', readLimit)
    .option('--key-requests <rate>', 'requests a second of each key, or `unlimited`', readLimit)
    .option('--waiting <count>', 'highest number of waiting messages, or `unlimited`', readLimit)
    .option('--free-service <count>', 'free service messages of each number a month, or `unlimited`', readLimit)
    .option('--types <types>', 'message types, separated by commas, or `all`')
    .option('--categories <categories>', 'template categories, separated by commas, or `all`')
    .action(act(showOrChangePlan));
}

async function showOrChangePlan(cli: Cli, id: string, options: PlanOptions): Promise<void> {
  const api = await cli.operator();
  const path = `${tenantPath(id)}/plan`;
  const change = planChange(options);
  const isEmpty = Object.values(change).every((value) => value === undefined);
  const plan = isEmpty ? await api.get<Plan>(path) : await api.request<Plan>('PUT', path, { body: change });
  await cli.out.result(plan, () => renderPlan(plan));
}

/** Returns the members to change; undefined ones stay as they are. */
function planChange(options: PlanOptions): { [Name in keyof Plan]: Plan[Name] | undefined } {
  return {
    name: options.name,
    active: options.suspend === true ? false : options.activate,
    monthly_message_limit: limitOrNull(options.messages),
    monthly_budget: limitOrNull(options.budget),
    requests_per_second: limitOrNull(options.requests),
    key_requests_per_second: limitOrNull(options.keyRequests),
    queue_max: limitOrNull(options.waiting),
    free_service_messages: limitOrNull(options.freeService),
    message_types: wordsOrAll(options.types),
    template_categories: wordsOrAll(options.categories),
  };
}

function limitOrNull(limit: Limit | undefined): number | null | undefined {
  return limit === 'unlimited' ? null : limit;
}

function wordsOrAll(text: string | undefined): string[] | null | undefined {
  if (text === 'all') return null;
  return text?.split(',').map((word) => word.trim());
}
