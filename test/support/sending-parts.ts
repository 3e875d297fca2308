import assert from 'node:assert/strict';
import { pino } from 'pino';
import { type Clock, systemClock } from '../../src/core/time/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { createDispatchMetrics } from '../../src/dispatch/outcomes/dispatch-metrics.ts';
import type { DispatchOutcome } from '../../src/dispatch/outcomes/dispatch-outcome.ts';
import type { QueueRow } from '../../src/dispatch/queue/queue-row.ts';
import { type NumberOpening, Scheduler } from '../../src/dispatch/scheduler/index.ts';
import { createSending, type SendingParts } from '../../src/dispatch/sending/create-sending.ts';
import { InFlight } from '../../src/dispatch/unknown-outcomes/in-flight.ts';
import { StatusGaps } from '../../src/dispatch/unknown-outcomes/status-gaps.ts';
import { UnknownOutcomes } from '../../src/dispatch/unknown-outcomes/unknown-outcomes.ts';
import type { OrganizationPolicy, OrganizationSettings } from '../../src/organizations/index.ts';
import { createMetrics, createTracing } from '../../src/telemetry/index.ts';
import { PlatformClock, type SendOutcome, type SendRequest } from '../../src/upstream/index.ts';
import { NUMBER } from './dispatch-number.ts';

export const ROW = {
  ...{ seq: 7, numberId: 1, flowId: 4, contact: '15551230001', messageId: 'm', acceptedAtMs: 0 },
  ...{ attempt: 0, dueAtMs: null },
};
/** A queue in which this message waits. */
export const WAITING = { flows: [{ flowId: ROW.flowId, rows: [ROW], more: false }], held: [] };
export const READ: QueueRow = { ...ROW, unknownCount: 0, holdUntilMs: null, attemptedAtMs: null };
/** The message's row as the journal returns it. */
export const JOURNALED = {
  leases: 1,
  message_id: 'm',
  unknown_count: 0,
  attempt: 0,
  expires_at: new Date(8.64e15),
  body: '{}',
};

/** Settings of an organization with all defaults. */
const POLICY: OrganizationPolicy = {
  ...{ messageTtlMs: 86_400_000, weight: 1, unknownOutcomePolicy: 'resend', directSend: false },
  ...{ phoneNumbers: 'upstream', toWithoutPlus: false, marketingMessages: 'auto' },
  ...{
    contactsAsText: false,
    cloudApiCredentials: false,
    optOutWords: [],
    retention: {},
    keepBodies: 'until_expiry',
    hasOptOuts: false,
  },
};

export type Query = (statement: { name: string; values: unknown[] }) => Promise<unknown[]>;
export type Post = (request: SendRequest) => Promise<SendOutcome>;

export interface Around extends Partial<SendingParts> {
  clock: Clock;
  scheduler: Scheduler;
  /** Answers of the database; by default the journal finds the message. */
  query?: Query;
  post?: Post;
}

/** Parts around one message: its body is cached, its token is known, and its number may send. */
export function partsAround({ clock, scheduler, query, post, ...given }: Around): SendingParts {
  const db = { query: query ?? (async () => [JOURNALED]) } as unknown as Database;
  const log = pino({ level: 'silent' });
  return {
    ...{ db, clock, log, scheduler, random: Math.random, nodeId: 'node', inFlight: new InFlight() },
    accounts: { tokenOf: () => ({ token: 'token', version: 1, readAt: null }) },
    bodies: { has: () => true, take: () => ({ body: '{}', [Symbol.dispose]() {} }), takesLarge: () => true },
    book: bookOf(() => NUMBER),
    gaps: gapsOf(clock),
    leases: { isCurrent: () => true, epochOf: () => 1, holds: () => true },
    metrics: createDispatchMetrics(createMetrics()),
    recorder: {
      complete: async () => undefined,
      finishJournal() {},
      hasEnded: () => false,
      note() {},
      postpone: async () => undefined,
    },
    settings: { get: () => POLICY },
    templates: { findStored: () => undefined },
    throttles: { send() {} },
    learnNames() {},
    tracing: createTracing(),
    unknown: {
      add() {},
      attemptedAtMs: ({ attemptedAtMs }) => attemptedAtMs,
      endHere() {},
      findReported: async () => undefined,
    },
    upstream: { platformClock: new PlatformClock(clock), sendMessage: post ?? (() => assert.fail('nothing is sent')) },
    wakeup: { wake() {} },
    ...given,
  };
}

export function bookOf(find: () => typeof NUMBER): SendingParts['book'] {
  return {
    ...{ find, findGate: () => undefined, listAccount: () => [], refresh: async () => undefined },
    ...{ chargeHeldUp() {}, countPost() {}, notePace() {} },
  };
}

export function gapsOf(clock: Clock): StatusGaps {
  return new StatusGaps({ clock, log: pino({ level: 'silent' }), hasReceiver: async () => true });
}

/** Parts in which unknown outcomes are held and decided. */
export function partsWithUnknown(around: Around) {
  const parts = partsAround(around);
  const gaps = gapsOf(parts.clock);
  const settings = { get: () => ({ unknownOutcomePolicy: 'resend' }) } as unknown as OrganizationSettings;
  const unknown = new UnknownOutcomes({ ...parts, scheduler: around.scheduler, gaps, settings });
  return { ...parts, gaps, unknown };
}

export function openNumber(
  scheduler: Scheduler,
  nowMs: number,
  queue: Pick<NumberOpening, 'flows' | 'held'>,
  inFlightMax = 80,
): void {
  scheduler.openNumber(nowMs, {
    ...{ numberId: 1, organizationId: 'o', organizationWeight: 1, ratePerSecond: 80, inFlightMax, paused: false },
    ...queue,
  });
}

export function openAbandoner({ isHeld, isCurrent }: { isHeld: boolean; isCurrent: boolean }) {
  const completions: [seq: number, outcome: DispatchOutcome][] = [];
  const scheduler = new Scheduler();
  openNumber(scheduler, 0, isHeld ? { flows: [], held: [{ row: ROW, untilMs: 30_000 }] } : WAITING);
  const parts = partsAround({ clock: systemClock, scheduler });
  const { abandoner } = createSending({
    ...parts,
    recorder: { ...parts.recorder, complete: async ({ seq }, outcome) => void completions.push([seq, outcome]) },
    leases: { ...parts.leases, isCurrent: () => isCurrent },
  });
  return { abandoner, scheduler, completions };
}
