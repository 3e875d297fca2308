import type { Plan, PlanUsage } from '../organizations/index.ts';

export type PlanRefusal = 'PLAN_MESSAGE_LIMIT_REACHED' | 'PLAN_BUDGET_EXCEEDED';

/** What a plan still allows this billing month, counted down message by message. */
export class PlanAllowance {
  #messagesLeft: number;
  #microsLeft: number;

  constructor(plan: Plan, used: PlanUsage) {
    this.#messagesLeft = (plan.monthlyMessageLimit ?? Number.POSITIVE_INFINITY) - used.accepted;
    this.#microsLeft = (plan.monthlyBudgetMicros ?? Number.POSITIVE_INFINITY) - used.spentMicros;
  }

  /** Whether the plan limits anything at all. */
  static limits(plan: Plan): boolean {
    return plan.monthlyMessageLimit !== null || plan.monthlyBudgetMicros !== null;
  }

  /** Takes one message of this price out of the allowance, or says why it does not fit and takes nothing. */
  take(priceMicros: number): PlanRefusal | undefined {
    if (this.#messagesLeft < 1) return 'PLAN_MESSAGE_LIMIT_REACHED';
    if (this.#microsLeft < priceMicros || this.#microsLeft <= 0) return 'PLAN_BUDGET_EXCEEDED';
    this.#messagesLeft -= 1;
    this.#microsLeft -= priceMicros;
    return undefined;
  }
}
