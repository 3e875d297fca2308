import { madeAtMs } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import { publishChange } from '../database/changes/change-feed.ts';
import type { Database, Queryable } from '../database/database.ts';
import { DAY_MS } from '../database/days/partitions.ts';
import { EVENT_TYPES, isMessageEvent } from '../events/index.ts';
import {
  blankFileNames,
  blankMessages,
  deleteMessageEvents,
  deleteOtherEvents,
  deletePayloads,
  deleteTraces,
  forgetTestRecipient,
  hasWaiting,
  lockMessages,
} from './content-queries.ts';
import { type Erasure, lockErasure, storeProgress } from './queries.ts';

export interface EraseDeps {
  db: Database;
  clock: Pick<Clock, 'now'>;
  /** Cancels the waiting messages to a person, named by digits or user id. */
  cancelWaiting: (organizationId: string, name: string) => Promise<void>;
}

/** Most messages erased in one transaction. */
const MESSAGES_AT_ONCE = 500;
const PAYLOADS_AT_ONCE = 2_000;
/** Days of events that are read; they are dropped after 30. */
const EVENT_DAYS = 32;
/** Time by which clocks of nodes and of PostgreSQL may differ. */
const CLOCKS_MS = 60 * 60_000;
const MESSAGE_TYPES = EVENT_TYPES.flatMap((type, number) => (isMessageEvent(type) ? [number] : []));
/** Ids of media in a stored body. */
const MEDIA_ID = /"id"\s*:\s*"(\d{5,40})"/g;

/** Result of one step: more follows at once, the erasure has to wait, or it is done (or another node works on it). */
type StepResult = 'more' | 'later' | 'done';

/**
 * Makes the next step of an erasure, in one transaction with its progress: a process that is killed loses at most the step.
 *
 * `waiting` cancels the person's waiting messages, and waits for those in flight. `payloads` deletes the platform's payloads that contain
 * the person's names, once they are applied: a payload that is applied again, as by a replay, would bring back what the later phases
 * remove. `messages` blanks messages in batches, with their events. `traces` deletes windows and names, and `events` all other events that
 * contain the names.
 */
export async function eraseStep(
  deps: EraseDeps,
  { organizationId, id, phase, names }: Pick<Erasure, 'organizationId' | 'id' | 'phase' | 'names'>,
): Promise<StepResult> {
  const { db, clock } = deps;
  if (phase === 'waiting') await deps.cancelWaiting(organizationId, names[0] ?? '');
  return await db.transaction(async (tx) => {
    const erasure = await lockErasure(tx, organizationId, id);
    if (erasure === undefined) return 'done';
    const { next, waits = false } = await STEPS[erasure.phase](tx, erasure, clock.now());
    await storeProgress(tx, next, new Date(clock.now()));
    if (next.phase === 'done') return 'done';
    return waits ? 'later' : 'more';
  });
}

/** Returns the erasure after a step, and if the same step has to be tried again later. */
type Step = (tx: Queryable, erasure: Erasure, nowMs: number) => Promise<{ next: Erasure; waits?: boolean }>;

const STEPS: Record<Erasure['phase'], Step> = {
  async waiting(tx, erasure) {
    const waits = await hasWaiting(tx, erasure, erasure.id);
    return waits ? { next: erasure, waits } : { next: begin(erasure, 'payloads') };
  },

  async payloads(tx, erasure) {
    const after = { readUntil: erasure.readUntil ?? new Date(0), readId: erasure.readId ?? 0 };
    const range = { limit: PAYLOADS_AT_ONCE, until: erasure.requestedAt };
    const { last, payloads, waits } = await deletePayloads(tx, erasure, after, range);
    const read = { ...erasure, payloads: erasure.payloads + payloads };
    if (waits) return { next: read, waits };
    return { next: last === undefined ? begin(read, 'messages') : { ...read, ...last } };
  },

  async messages(tx, erasure) {
    const { organizationId, id } = erasure;
    const messages = await lockMessages(tx, erasure, id, MESSAGES_AT_ONCE);
    if (messages.length === 0) return { next: begin(erasure, 'traces') };
    const ids = messages.map((message) => message.id);
    const firstMs = Math.min(...ids.map(madeAtMs));
    await blankMessages(tx, organizationId, ids);
    const events = await deleteMessageEvents(tx, organizationId, ids, new Date(firstMs - CLOCKS_MS));
    const mediaIds = messages.flatMap(({ body }) => [...body.matchAll(MEDIA_ID)].map(([, mediaId]) => mediaId ?? ''));
    if (mediaIds.length > 0) await blankFileNames(tx, organizationId, [...new Set(mediaIds)]);
    return { next: { ...erasure, messages: erasure.messages + ids.length, events: erasure.events + events } };
  },

  async traces(tx, erasure) {
    await forgetTestRecipient(tx, erasure);
    const isClear = await deleteTraces(tx, erasure);
    if (!isClear) return { next: erasure, waits: true };
    await publishChange(tx, 'erasure', erasure.organizationId);
    return { next: begin(erasure, 'events') };
  },

  async events(tx, erasure, nowMs) {
    const from = erasure.readUntil ?? new Date(nowMs - EVENT_DAYS * DAY_MS);
    const to = new Date(from.getTime() + DAY_MS);
    const events = await deleteOtherEvents(tx, erasure, { from, to }, MESSAGE_TYPES);
    const read = { ...erasure, events: erasure.events + events, readUntil: to };
    return { next: from.getTime() > nowMs ? begin(read, 'done') : read };
  },

  async done(_tx, erasure) {
    return { next: erasure };
  },
};

function begin(erasure: Erasure, phase: Erasure['phase']): Erasure {
  return { ...erasure, phase, readUntil: null, readId: null };
}
