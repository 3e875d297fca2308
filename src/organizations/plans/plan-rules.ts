/** What an organization may send. `null` is unlimited throughout; money is in millionths of the budget's currency unit. */
export interface Plan {
  name: string;
  active: boolean;
  /** Messages accepted per billing month (UTC). */
  monthlyMessageLimit: number | null;
  /** Send types (api-rules#bodies). */
  messageTypes: ReadonlySet<string> | null;
  /** Template categories, in upper case as the upstream spells them. */
  templateCategories: ReadonlySet<string> | null;
  monthlyBudgetMicros: number | null;
  /** API requests of all keys together. */
  requestsPerSecond: number | null;
  /** API requests of each key. */
  keyRequestsPerSecond: number | null;
  /** Messages waiting to be sent. */
  queueMax: number | null;
  /** The plan's own price of one message by category in lower case; the default card prices the rest. */
  priceMicros: Record<string, number>;
}

/** A partial change: what is absent stays, `null` lifts the limit. */
export type PlanChange = { [Field in keyof Plan]?: Plan[Field] | undefined };

/** The plan of an organization nobody gave one (api-rules#plans). */
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
  priceMicros: {},
};

/**
 * What a message costs a budget unless the plan says otherwise: marketing 0.06, utility and authentication 0.02, service 0.01
 * of the budget's currency unit.
 */
const DEFAULT_PRICE_MICROS = {
  marketing: 60_000,
  utility: 20_000,
  authentication: 20_000,
  service: 10_000,
} as const;

/** The plan after a change. */
export function changePlan(plan: Plan, change: PlanChange): Plan {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...plan, ...Object.fromEntries(given) };
}

/**
 * Why a plan does not allow a send, apart from what is counted over the month. `category` is the template's, in any case;
 * undefined while it is unknown and for other types.
 */
export function checkPlan(
  plan: Plan,
  send: { type: string; category: string | undefined },
): 'PLAN_INACTIVE' | 'PLAN_TYPE_NOT_INCLUDED' | undefined {
  if (!plan.active) return 'PLAN_INACTIVE';
  if (plan.messageTypes !== null && !plan.messageTypes.has(send.type)) return 'PLAN_TYPE_NOT_INCLUDED';
  const excluded =
    send.type === 'template' &&
    send.category !== undefined &&
    plan.templateCategories !== null &&
    !plan.templateCategories.has(send.category.toUpperCase());
  return excluded ? 'PLAN_TYPE_NOT_INCLUDED' : undefined;
}

/** What one message of `category` (any case) costs under the plan. A category without a price costs what marketing does: a budget errs on the safe side. */
export function priceMicrosOf(plan: Plan, category: string): number {
  const key = category.toLowerCase();
  return ownPrice(plan.priceMicros, key) ?? ownPrice(DEFAULT_PRICE_MICROS, key) ?? priceMicrosOf(plan, 'marketing');
}

/** Categories are the upstream's words, and none of them may reach into a prototype. */
function ownPrice(prices: Record<string, number>, key: string): number | undefined {
  return Object.hasOwn(prices, key) ? prices[key] : undefined;
}
