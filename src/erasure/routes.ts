import type { FastifyInstance } from 'fastify';
import { AppError, invalid } from '../core/errors.ts';
import { isUuid, newId } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import { publishChange } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { callerOf, type Query, readText, sendJson } from '../http/index.ts';
import { exportPerson } from './export-person.ts';
import { findPerson } from './person.ts';
import { type Erasure, findErasure, insertErasure } from './queries.ts';
import { erasePersonSchema, exportPersonSchema, getErasureSchema } from './schemas.ts';

interface OfPerson {
  Params: { person: string };
  Querystring: Query;
}

/** Registers the export and the erasure of people's data. */
export function erasureRoutes(app: FastifyInstance, deps: { db: Database; clock: Pick<Clock, 'now'> }): void {
  const { db, clock } = deps;

  app.delete<OfPerson>('/v1/people/:person', { schema: erasePersonSchema }, async (request, reply) => {
    const { organizationId } = callerOf(request);
    const { names, contacts, keys } = await findPerson(db, organizationId, request.params.person);
    const nowMs = clock.now();
    const id = newId(nowMs);
    const requestedAt = new Date(nowMs);
    await db.transaction(async (tx) => {
      await insertErasure(tx, { organizationId, id, names, contacts, keys, requestedAt });
      await publishChange(tx, 'erasure', organizationId);
    });
    return reply.code(202).send({ id, status: 'running', requested_at: requestedAt.toISOString() });
  });

  app.get<{ Params: { id: string } }>('/v1/erasures/:id', { schema: getErasureSchema }, async (request) => {
    const { id } = request.params;
    const erasure = isUuid(id) ? await findErasure(db, callerOf(request).organizationId, id) : undefined;
    if (erasure === undefined) throw new AppError('NOT_FOUND', 'There is no erasure with this id.');
    return renderErasure(erasure);
  });

  app.get<OfPerson>('/v1/people/:person/data', { schema: exportPersonSchema }, async (request, reply) => {
    const after = readText(request.query, 'after');
    if (after !== undefined && !isUuid(after)) throw invalid('"after" must be the "next" of an earlier answer.');
    return sendJson(reply, await exportPerson(db, callerOf(request).organizationId, request.params.person, after));
  });
}

function renderErasure({ id, phase, messages, events, payloads, requestedAt, finishedAt }: Erasure) {
  return {
    id,
    status: phase === 'done' ? 'done' : phase === 'waiting' ? 'waiting' : 'running',
    messages,
    events,
    payloads,
    requested_at: requestedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}
