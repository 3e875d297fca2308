import type { Rate } from '../prices/rate.ts';

/** Limits of an organization's sends. `null` always means unlimited; money is in millionths of the budget's currency unit. */
export interface Plan {
  name: string;
  active: boolean;
  /** Messages accepted per billing month (UTC). */
  monthlyMessageLimit: number | null;
  /** Send types (api-rules#bodies). */
  messageTypes: ReadonlySet<string> | null;
  /** Template categories, in upper case as the platform spells them. */
  templateCategories: ReadonlySet<string> | null;
  monthlyBudgetMicros: number | null;
  /** API requests per second of all keys together. */
  requestsPerSecond: number | null;
  /** API requests per second of each key. */
  keyRequestsPerSecond: number | null;
  /** Most messages waiting to be sent. */
  queueMax: number | null;
  /** Service messages that the platform delivers free, per number and calendar month (UTC). */
  freeServiceMessages: number | null;
  /** The plan's own price of one message, by category in lower case. Other categories have the default price. */
  priceMicros: Record<string, number>;
  /** The organization's rate cards. They precede the plan's prices. */
  rates: readonly Rate[];
}

/** A partial change: absent fields stay, `null` lifts the limit. */
export type PlanChange = { [Field in keyof Omit<Plan, 'rates'>]?: Plan[Field] | undefined };

/** Plan of an organization for which none was set (api-rules#plans). */
export const UNLIMITED_PLAN: Plan = {
  name: 'unlimited',
  active: true,
  monthlyMessageLimit: null,
  messageTypes: null,
  templateCategories: null,
  monthlyBudgetMicros: null,
  requestsPerSecond: null,
  keyRequestsPerSecond: null,
  queueMax: null,
  freeServiceMessages: 1_000,
  priceMicros: {},
  rates: [],
};

/** The plan after a change. */
export function changePlan(plan: Plan, change: PlanChange): Plan {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...plan, ...Object.fromEntries(given) };
}

/**
 * The reason why a plan forbids a send, apart from monthly counts; undefined if it is allowed. `category` is that of a template or a Direct Send, in any
 * letter case; undefined while it is unknown, and for other messages.
 */
export function checkPlan(
  plan: Plan,
  send: { type: string; category: string | undefined },
): 'PLAN_INACTIVE' | 'PLAN_TYPE_NOT_INCLUDED' | undefined {
  if (!plan.active) return 'PLAN_INACTIVE';
  if (plan.messageTypes !== null && !plan.messageTypes.has(send.type)) return 'PLAN_TYPE_NOT_INCLUDED';
  const excluded =
    send.category !== undefined &&
    plan.templateCategories !== null &&
    !plan.templateCategories.has(send.category.toUpperCase());
  return excluded ? 'PLAN_TYPE_NOT_INCLUDED' : undefined;
}
