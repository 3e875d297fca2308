import type { Plan, PlanUsage } from '../../organizations/index.ts';

export type PlanRefusal = 'PLAN_MESSAGE_LIMIT_REACHED' | 'PLAN_BUDGET_EXCEEDED';

/** The messages and the budget that plans still allow an organization this billing month, starting from its usage. */
export class PlanAllowance {
  #accepted: number;
  #spentMicros: number;

  constructor(used: PlanUsage) {
    this.#accepted = used.accepted;
    this.#spentMicros = used.spentMicros;
  }

  /** Returns true if the plan has any limit. */
  static limits(plan: Plan): boolean {
    return plan.monthlyMessageLimit !== null || plan.monthlyBudgetMicros !== null;
  }

  /**
   * Takes one message of this price from the plan's allowance. If it does not fit, returns the refusal and takes nothing.
   * Messages of one batch may come with different plans, if the plan changed in between.
   */
  take(plan: Plan, priceMicros: number): PlanRefusal | undefined {
    const messagesLeft = (plan.monthlyMessageLimit ?? Number.POSITIVE_INFINITY) - this.#accepted;
    const microsLeft = (plan.monthlyBudgetMicros ?? Number.POSITIVE_INFINITY) - this.#spentMicros;
    if (messagesLeft < 1) return 'PLAN_MESSAGE_LIMIT_REACHED';
    if (microsLeft < priceMicros || microsLeft <= 0) return 'PLAN_BUDGET_EXCEEDED';
    this.#accepted += 1;
    this.#spentMicros += priceMicros;
    return undefined;
  }
}
