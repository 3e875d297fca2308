import type { FastifyInstance } from 'fastify';
import { invalid } from '../core/errors.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import {
  type Caller,
  type Callers,
  callerOf,
  type Query,
  readInteger,
  readList,
  readMatching,
  readNumberId,
  readText,
  sendJson,
} from '../http/index.ts';
import type { Event } from './event.ts';
import { decodeCursor, type EventPosition, FIRST_POSITION } from './event-cursor.ts';
import { type EventType, isEventType } from './event-types.ts';
import { readNewestPosition } from './reading/commit-order-queries.ts';
import type { EventWatch } from './reading/event-watch.ts';
import { linkQuoted, linkRecipientCards } from './reading/link-queries.ts';
import { pullEvents } from './reading/pull-events.ts';
import { checkFormatChoices, type EventForm, renderListedEvent } from './rendering/event-form.ts';
import { listEventsSchema, WAIT_SECONDS_MAX } from './schemas.ts';

export interface EventRouteDeps {
  db: Queryable;
  clock: Clock;
  watch: EventWatch;
  authenticate: Callers['authenticate'];
  /**
   * Returns the small ids of the numbers whose events a caller may read, narrowed to one if it is given; undefined for all. Raises
   * ACCOUNT_NOT_FOUND, FORBIDDEN.
   */
  permittedNumberIds(caller: Caller, phoneNumberId: string | undefined): Promise<number[] | undefined>;
}

/** Registers the route for pulling events. */
export function eventRoutes(app: FastifyInstance, deps: EventRouteDeps): void {
  app.get('/v1/events', { schema: listEventsSchema }, async (request, reply) => {
    // Listen before the first await. Without this, a disconnect during it goes unnoticed.
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const query = request.query as Query;
    const caller = callerOf(request);
    const { organizationId } = caller;
    const limit = readInteger(query, 'limit', { min: 1, max: 500, fallback: 100 });
    const waitSeconds = readInteger(query, 'wait', { min: 0, max: WAIT_SECONDS_MAX, fallback: 0 });
    const types = readTypes(query);
    const form = readForm(query);
    const after = await readAfter(deps.db, organizationId, query);
    const phoneNumberId = readNumberId(query, 'number');
    const permitted = await deps.permittedNumberIds(caller, phoneNumberId);
    const numberIds = permitted && new Set(permitted);
    const { events, next } = await pullEvents(deps, {
      organizationId,
      after,
      filter: { types, numberIds },
      limit,
      waitMs: waitSeconds * 1000,
      gone: gone.signal,
    });
    // The key may have been disabled during the wait.
    await deps.authenticate(request);
    await linkFacts(deps.db, events, form);
    const data = events.flatMap((event) => renderListedEvent(event, form) ?? []);
    return sendJson(reply, `{"data":[${data.join(',')}],"next":"${next}"}`);
  });
}

/** Reads the position in `after`. `now` means the position after all existing events, for readers without history. */
async function readAfter(db: Queryable, organizationId: string, query: Query): Promise<EventPosition> {
  const after = readText(query, 'after');
  if (after === undefined) return FIRST_POSITION;
  return after === 'now' ? await readNewestPosition(db, organizationId) : decodeCursor(after);
}

function readTypes(query: Query): ReadonlySet<EventType> | undefined {
  const words = readList(query, 'type');
  if (words === undefined) return undefined;
  const types = words.filter(isEventType);
  if (types.length < words.length) {
    throw invalid('"type" must name event types, such as message.delivered.');
  }
  return new Set(types);
}

/** Reads the form of the events. Parameters without an effect in the format `standard` are refused, as for an endpoint. */
function readForm(query: Query): EventForm {
  const format = readMatching(query, 'format', /^(?:standard|cloud_api)$/, '"standard" or "cloud_api"') ?? 'standard';
  const messageIds = readMatching(query, 'message_ids', /^(?:upstream|gateway)$/, '"upstream" or "gateway"');
  const phoneNumbers = readMatching(query, 'phone_numbers', /^(?:upstream|e164)$/, '"upstream" or "e164"');
  const form = { format, messageIds: messageIds ?? 'upstream', phoneNumbers: phoneNumbers ?? 'upstream' } as EventForm;
  checkFormatChoices(form);
  return form;
}

/** Adds to events the facts that a form shows beyond the event itself. */
async function linkFacts(db: Queryable, events: readonly Event[], { format, messageIds }: EventForm): Promise<void> {
  if (format === 'standard') return;
  if (messageIds === 'gateway') await linkQuoted(db, events);
  await linkRecipientCards(db, events);
}
