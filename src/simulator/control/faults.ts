import type { Random } from '../../core/seeded-random.ts';

/** Groups of calls a fault can be limited to. */
export type EndpointKind = 'messages' | 'mark_read' | 'media' | 'uploads' | 'templates' | 'numbers' | 'accounts';

/** What goes wrong with a request or its answer. */
type RequestFault =
  /** A Graph error with any code. */
  | { kind: 'error'; code: number; subcode?: number; httpStatus?: number; details?: string; isTransient?: boolean }
  /** A raw HTTP answer, such as a proxy's HTML page or an empty 500. */
  | { kind: 'http'; httpStatus: number; body?: string; contentType?: string }
  /** The ordinary answer, later. */
  | { kind: 'slow'; delayMs: number }
  /** Nothing happens and no answer comes. */
  | { kind: 'hang' }
  /** The connection is reset and nothing happened; before the body was read, unless the scope can only be told from it. */
  | { kind: 'reset_before' }
  /** It happens, then the connection is reset instead of answered. */
  | { kind: 'reset_after' }
  /** It happens, and no answer ever comes. */
  | { kind: 'reply_lost' }
  /** It happens, and the answer ends in the middle of its body. */
  | { kind: 'reply_cut' };

/** What goes wrong after a message was accepted. */
export type DeliveryFault =
  /** A `failed` status, at once or after another status. */
  | { kind: 'fail'; code: number; details?: string; after?: 'sent' | 'delivered' }
  | { kind: 'webhook_lost'; status?: 'sent' | 'delivered' | 'read' | 'failed' }
  | { kind: 'webhook_late'; delayMs: number; status?: 'sent' | 'delivered' | 'read' | 'failed' }
  | { kind: 'webhook_duplicated'; copies: number }
  /** Read before delivered before sent; the timestamps stay true. */
  | { kind: 'webhook_reordered' }
  /** The first status is posted and answered before the send itself is answered. */
  | { kind: 'webhook_first' }
  /** Signed with another secret. */
  | { kind: 'webhook_unsigned' }
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

/** Where a fault applies; an absent member means everywhere. */
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
  /** Matching requests it hits before it is spent; absent = no end. */
  times?: number;
  /** Milliseconds from now after which it no longer applies. */
  periodMs?: number;
  /** Chance that it hits a matching request; default 1. */
  probability?: number;
}

export interface FaultRule {
  readonly id: number;
  readonly fault: Fault;
  readonly scope: FaultScope;
  /** Hits left; `null` = no end. */
  timesLeft: number | null;
  /** Milliseconds since the epoch; `null` = no end. */
  readonly untilMs: number | null;
  readonly probability: number;
  hits: number;
}

/** What is known of a request when faults are looked up. */
export interface FaultTarget extends FaultScope {
  endpoint: EndpointKind;
}

/** The faults to apply to one request: at most one spoils the request, delays add up, deliveries may suffer several. */
export interface FaultSelection {
  request: Exclude<RequestFault, { kind: 'slow' }> | null;
  delayMs: number;
  delivery: DeliveryFault[];
}

/** The faults asked for over the control API or in process. */
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

  /** Whether a reset can be decided on the request's headers alone; counts as a hit. */
  takeEarlyReset(target: FaultTarget, nowMs: number): boolean {
    return this.#rules.some((rule) => isDecidedEarly(rule) && this.#take(rule, target, nowMs));
  }

  /** The faults that hit this request; each counts as used. */
  take(target: FaultTarget, nowMs: number): FaultSelection {
    const selection: FaultSelection = { request: null, delayMs: 0, delivery: [] };
    for (const rule of this.#rules) {
      const { fault } = rule;
      // A second spoiler could not show: it stays unused for the next request.
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

/** Whether the headers alone tell that the rule applies: recipient and kind of a message stand in the body. */
function isDecidedEarly({ fault, scope }: FaultRule): boolean {
  return fault.kind === 'reset_before' && scope.recipient === undefined && scope.endpoint !== 'mark_read';
}

/** Adds a fault to what was selected so far; the first one that spoils the request wins. */
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
