import type { DeliveryFault } from '../control/faults.ts';

type StatusName = 'sent' | 'delivered' | 'read' | 'failed';

/** Delay of each status after acceptance, in milliseconds; `null` = never (a phone that is off, read receipts off). */
export interface StatusLatencies {
  sent: number;
  delivered: number | null;
  read: number | null;
}

/** One planned status webhook. */
export interface PlannedStatus {
  status: StatusName;
  /** Time of the status, and so its `timestamp`, in milliseconds after acceptance. */
  happensAfterMs: number;
  /** Time at which the webhook is posted, in milliseconds after acceptance. */
  leavesAfterMs: number;
  /** For `failed`. */
  errorCode?: number;
  details?: string;
  /** POSTs of the same status. */
  copies: number;
  signature: 'valid' | 'wrong';
}

export interface StatusPlanInput {
  /** The platform reports reactions only as sent. */
  isReaction: boolean;
  latenciesMs: StatusLatencies;
  /** Reason for which the platform drops the message after acceptance, or `null`. */
  failure: { code: number; details?: string } | null;
  faults: readonly DeliveryFault[];
}

/** Plans the status webhooks of an accepted message and their times. Pure. */
export function planStatuses(input: StatusPlanInput): PlannedStatus[] {
  const { latenciesMs } = input;
  const life: PlannedStatus[] = [planned('sent', latenciesMs.sent)];
  if (!input.isReaction && latenciesMs.delivered !== null) {
    life.push(planned('delivered', latenciesMs.delivered));
    if (latenciesMs.read !== null) life.push(planned('read', latenciesMs.read));
  }
  const base = input.failure === null ? life : [failed(latenciesMs.sent, input.failure.code, input.failure.details)];
  return input.faults.reduce(applyFault, base);
}

function applyFault(plan: PlannedStatus[], fault: DeliveryFault): PlannedStatus[] {
  switch (fault.kind) {
    case 'fail':
      return failAfter(plan, fault);
    case 'webhook_lost':
      return fault.status === undefined ? [] : plan.filter((planned) => planned.status !== fault.status);
    case 'webhook_late':
      return plan.map((planned) =>
        fault.status === undefined || planned.status === fault.status
          ? { ...planned, leavesAfterMs: planned.leavesAfterMs + fault.delayMs }
          : planned,
      );
    case 'webhook_duplicated':
      return plan.map((planned) => ({ ...planned, copies: fault.copies }));
    case 'webhook_reordered': {
      const departures = plan.map((planned) => planned.leavesAfterMs).reverse();
      return plan.map((planned, index) => ({ ...planned, leavesAfterMs: departures[index] ?? planned.leavesAfterMs }));
    }
    case 'webhook_unsigned':
      return plan.map((planned) => ({ ...planned, signature: 'wrong' as const }));
    case 'webhook_first':
      return plan.map((planned, index) => (index === 0 ? { ...planned, leavesAfterMs: 0 } : planned));
    case 'priced':
      return plan;
    case 'held':
      return fault.outcome === 'sent' ? shifted(plan, fault.delayMs) : [failed(fault.delayMs, 132015)];
  }
}

function failAfter(plan: PlannedStatus[], fault: DeliveryFault & { kind: 'fail' }): PlannedStatus[] {
  const before = fault.after === undefined ? -1 : plan.findIndex((planned) => planned.status === fault.after);
  const kept = plan.slice(0, before + 1);
  const next = plan[before + 1] ?? plan.at(-1);
  return [...kept, failed(next?.happensAfterMs ?? 0, fault.code, fault.details)];
}

function shifted(plan: PlannedStatus[], delayMs: number): PlannedStatus[] {
  return plan.map((planned) => ({
    ...planned,
    happensAfterMs: planned.happensAfterMs + delayMs,
    leavesAfterMs: planned.leavesAfterMs + delayMs,
  }));
}

function planned(status: StatusName, afterMs: number): PlannedStatus {
  return { status, happensAfterMs: afterMs, leavesAfterMs: afterMs, copies: 1, signature: 'valid' };
}

function failed(afterMs: number, errorCode: number, details?: string): PlannedStatus {
  return { ...planned('failed', afterMs), errorCode, ...(details === undefined ? {} : { details }) };
}
