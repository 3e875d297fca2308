import type { Plan, PlanUsage } from '../../organizations/index.ts';

export type PlanRefusal = 'PLAN_MESSAGE_LIMIT_REACHED' | 'PLAN_BUDGET_EXCEEDED';

/** What plans still allow an organization this billing month, of which so much is used, counted up message by message. */
export class PlanAllowance {
  #accepted: number;
  #spentMicros: number;

  constructor(used: PlanUsage) {
    this.#accepted = used.accepted;
    this.#spentMicros = used.spentMicros;
  }

  /** Whether the plan limits anything at all. */
  static limits(plan: Plan): boolean {
    return plan.monthlyMessageLimit !== null || plan.monthlyBudgetMicros !== null;
  }

  /**
   * Takes one message of this price out of what its plan allows, or says why it does not fit and takes nothing. Of messages that are stored
   * together each may have another plan: it was changed in between.
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
