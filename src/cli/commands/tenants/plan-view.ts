import { renderFields } from '../../terminal/table.ts';

/** The plan of a tenant, as far as the commands read it. Null is unlimited. */
export interface Plan {
  name: string;
  active: boolean;
  monthly_message_limit: number | null;
  message_types: string[] | null;
  template_categories: string[] | null;
  monthly_budget: number | null;
  requests_per_second: number | null;
  key_requests_per_second: number | null;
  queue_max: number | null;
  free_service_messages: number | null;
}

/** Renders a plan for people. */
export function renderPlan(plan: Plan): string {
  return renderFields([
    ['plan', plan.name],
    ['active', plan.active ? 'yes' : 'no: every send is refused'],
    ['monthly messages', plan.monthly_message_limit ?? 'unlimited'],
    ['monthly budget', plan.monthly_budget ?? 'unlimited'],
    ['requests/s', plan.requests_per_second ?? 'unlimited'],
    ['requests/s per key', plan.key_requests_per_second ?? 'unlimited'],
    ['waiting messages', plan.queue_max ?? 'unlimited'],
    ['free service messages', plan.free_service_messages ?? 'all'],
    ['message types', plan.message_types?.join(', ') ?? 'all'],
    ['categories', plan.template_categories?.join(', ') ?? 'all'],
  ]);
}
