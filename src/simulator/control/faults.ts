import type { Random } from '../../core/seeded-random.ts';
import type { MovedPrice } from '../webhooks/pricing.ts';

/** Groups of calls to which a fault can be limited. */
export type EndpointKind =
  | 'messages'
  | 'marketing_messages'
  | 'mark_read'
  | 'media'
  | 'uploads'
  | 'templates'
  | 'numbers'
  | 'accounts';

/** A fault of a request or of its answer. */
type RequestFault =
  /** A Graph error with any code. */
  | { kind: 'error'; code: number; subcode?: number; httpStatus?: number; details?: string; isTransient?: boolean }
  /** A raw HTTP answer, such as a proxy's HTML page or an empty 500. */
  | { kind: 'http'; httpStatus: number; body?: string; contentType?: string }
  /** The normal answer after a delay. */
  | { kind: 'slow'; delayMs: number }
  /** Nothing takes effect and no answer comes. */
  | { kind: 'hang' }
  /** The connection is reset and nothing takes effect. The reset comes before the body is read, unless the scope depends on the body. */
  | { kind: 'reset_before' }
  /** The call takes effect, then the connection is reset instead of answered. */
  | { kind: 'reset_after' }
  /** The call takes effect, and no answer comes. */
  | { kind: 'reply_lost' }
  /** The call takes effect, and the answer ends in the middle of its body. */
  | { kind: 'reply_cut' };

/** A fault after the acceptance of a message. */
export type DeliveryFault =
  /** A `failed` status, at once or after another status. */
  | { kind: 'fail'; code: number; details?: string; after?: 'sent' | 'delivered' }
  | { kind: 'webhook_lost'; status?: 'sent' | 'delivered' | 'read' | 'failed' }
  | { kind: 'webhook_late'; delayMs: number; status?: 'sent' | 'delivered' | 'read' | 'failed' }
  | { kind: 'webhook_duplicated'; copies: number }
  /** Read before delivered before sent; the timestamps stay true. */
  | { kind: 'webhook_reordered' }
  /** The first status is posted, and answered, before the send itself is answered. */
  | { kind: 'webhook_first' }
  /** Signed with another secret. */
  | { kind: 'webhook_unsigned' }
  /** The statuses report another price than the rules give. */
  | ({ kind: 'priced' } & MovedPrice)
  /** A template held back, then sent or dropped with 132015. `word` is its `message_status`; default `held_for_quality_assessment`. */
  | { kind: 'held'; outcome: 'sent' | 'dropped'; delayMs: number; word?: string };

export type Fault = RequestFault | DeliveryFault;

const deliveryKinds: ReadonlySet<string> = new Set<DeliveryFault['kind']>([
  'fail',
  'webhook_lost',
  'webhook_late',
  'webhook_duplicated',
  'webhook_reordered',
  'webhook_first',
  'webhook_unsigned',
  'held',
  'priced',
]);
const requestKinds: ReadonlySet<string> = new Set<RequestFault['kind']>([
  'error',
  'http',
  'slow',
  'hang',
  'reset_before',
  'reset_after',
  'reply_lost',
  'reply_cut',
]);

function isDeliveryFault(fault: Fault): fault is DeliveryFault {
  return deliveryKinds.has(fault.kind);
}

export function isFaultKind(kind: string): kind is Fault['kind'] {
  return deliveryKinds.has(kind) || requestKinds.has(kind);
}

/** Limits a fault; an absent member means no limit. */
export interface FaultScope {
  endpoint?: EndpointKind;
  wabaId?: string;
  phoneNumberId?: string;
  /** Digits of the recipient. */
  recipient?: string;
}

export interface FaultSeed {
  fault: Fault;
  scope?: FaultScope;
  /** Number of matching requests that the fault hits; absent = unlimited. */
  times?: number;
  /** Milliseconds from now until the fault ends. */
  periodMs?: number;
  /** Probability that the fault hits a matching request; default 1. */
  probability?: number;
}

export interface FaultRule {
  readonly id: number;
  readonly fault: Fault;
  readonly scope: FaultScope;
  /** Hits left; `null` = unlimited. */
  timesLeft: number | null;
  /** Milliseconds since the epoch; `null` = unlimited. */
  readonly untilMs: number | null;
  readonly probability: number;
  hits: number;
}

/** Facts about a request by which its faults are selected. */
export interface FaultTarget extends FaultScope {
  endpoint: EndpointKind;
}

/** The faults of one request: at most one request fault, the sum of all delays, and any number of delivery faults. */
export interface FaultSelection {
  request: Exclude<RequestFault, { kind: 'slow' }> | null;
  delayMs: number;
  delivery: DeliveryFault[];
}

/** The active faults, added over the control API or in process. */
export class FaultBook {
  readonly #random: Random;
  #rules: FaultRule[] = [];
  #nextId = 1;

  constructor(random: Random) {
    this.#random = random;
  }

  add(seed: FaultSeed, nowMs: number): FaultRule {
    const rule: FaultRule = {
      id: this.#nextId++,
      fault: seed.fault,
      scope: seed.scope ?? {},
      timesLeft: seed.times ?? null,
      untilMs: seed.periodMs === undefined ? null : nowMs + seed.periodMs,
      probability: seed.probability ?? 1,
      hits: 0,
    };
    this.#rules.push(rule);
    return rule;
  }

  list(): FaultRule[] {
    return [...this.#rules];
  }

  /** Removes one fault, or all of them. */
  clear(id?: number): void {
    this.#rules = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id);
  }

  /** Returns true if a reset applies by the request's headers alone; counts as a hit. */
  takeEarlyReset(target: FaultTarget, nowMs: number): boolean {
    return this.#rules.some((rule) => isDecidedEarly(rule) && this.#take(rule, target, nowMs));
  }

  /** Returns the faults that hit this request; each counts as used. */
  take(target: FaultTarget, nowMs: number): FaultSelection {
    const selection: FaultSelection = { request: null, delayMs: 0, delivery: [] };
    for (const rule of this.#rules) {
      const { fault } = rule;
      // A second request fault would have no effect, so it is kept for the next request.
      if (!isDeliveryFault(fault) && fault.kind !== 'slow' && selection.request !== null) continue;
      if (isDecidedEarly(rule)) continue;
      if (this.#take(rule, target, nowMs)) addToSelection(selection, fault);
    }
    return selection;
  }

  #take(rule: FaultRule, target: FaultTarget, nowMs: number): boolean {
    if (rule.timesLeft === 0 || (rule.untilMs !== null && nowMs >= rule.untilMs)) return false;
    if (!inScope(rule.scope, target)) return false;
    if (rule.probability < 1 && !this.#random.chance(rule.probability)) return false;
    rule.hits += 1;
    if (rule.timesLeft !== null) rule.timesLeft -= 1;
    return true;
  }
}

/** Returns true if the headers alone decide the rule. Recipient and kind of a message are in the body. */
function isDecidedEarly({ fault, scope }: FaultRule): boolean {
  return fault.kind === 'reset_before' && scope.recipient === undefined && scope.endpoint !== 'mark_read';
}

/** Adds a fault to the selection. The first request fault wins. */
export function addToSelection(selection: FaultSelection, fault: Fault): void {
  if (isDeliveryFault(fault)) selection.delivery.push(fault);
  else if (fault.kind === 'slow') selection.delayMs += fault.delayMs;
  else selection.request ??= fault;
}

function inScope(scope: FaultScope, target: FaultTarget): boolean {
  return (
    (scope.endpoint === undefined || scope.endpoint === target.endpoint) &&
    (scope.wabaId === undefined || scope.wabaId === target.wabaId) &&
    (scope.phoneNumberId === undefined || scope.phoneNumberId === target.phoneNumberId) &&
    (scope.recipient === undefined || scope.recipient === target.recipient)
  );
}
