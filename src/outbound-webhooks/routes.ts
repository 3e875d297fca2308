import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { AppError, invalid } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import { type EventType, isEventType } from '../events/index.ts';
import {
  callerOf,
  momentOf,
  type Query,
  readInteger,
  readJsonBody,
  readList,
  readMatching,
  readOptionalJsonBody,
  readText,
  readTime,
} from '../http/index.ts';
import { type Replay, replayEvents } from './delivery/replay-events.ts';
import { sendTestEvent } from './delivery/send-test-event.ts';
import type { Endpoint } from './endpoint.ts';
import {
  changeEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
  rotateSecret,
} from './endpoints/change-endpoint.ts';
import { createEndpoint, type EndpointDeps } from './endpoints/create-endpoint.ts';
import { listEndpoints } from './endpoints/endpoint-queries.ts';
import { renderDelivery, renderEndpoint } from './endpoints/endpoint-view.ts';
import { throwMangled } from './history/delivery-place.ts';
import { listDeliveriesSchema, replayBody, replaySchema } from './history/delivery-schemas.ts';
import { type DeliveryQuery, listDeliveries } from './history/list-deliveries.ts';
import {
  changeEndpointSchema,
  createEndpointSchema,
  deleteEndpointSchema,
  enableBody,
  enableEndpointSchema,
  endpointBody,
  endpointPatchBody,
  getEndpointSchema,
  LIST_MAX,
  listEndpointsSchema,
  rotateBody,
  rotateSecretSchema,
  testEndpointSchema,
} from './schemas.ts';

const OVERLAP_SECONDS = 24 * 60 * 60;

/** Registers the routes of webhook endpoints under `/v1/webhooks`. */
export function webhookRoutes(app: FastifyInstance, deps: EndpointDeps): void {
  const view = (endpoint: Endpoint) => renderEndpoint(deps.secretBox, endpoint, { showSecret: false });
  const viewWithSecret = (endpoint: Endpoint) => renderEndpoint(deps.secretBox, endpoint, { showSecret: true });

  app.post('/v1/webhooks', { schema: createEndpointSchema }, async (request, reply) => {
    const body = readJsonBody(request, endpointBody);
    const created = await createEndpoint(deps, callerOf(request).organizationId, {
      url: body.url,
      description: body.description ?? null,
      eventTypes: body.events ?? null,
      phoneNumberIds: body.phone_number_ids ?? null,
      wabaIds: body.waba_ids ?? null,
      format: body.format ?? 'standard',
      signing: body.signing ?? 'hmac',
      messageIds: body.message_ids ?? 'upstream',
      phoneNumbers: body.phone_numbers ?? 'upstream',
      ordered: body.ordered ?? false,
      ratePerSecond: body.rate_per_second ?? null,
    });
    return reply.code(201).header('cache-control', 'no-store').send(viewWithSecret(created));
  });

  app.get('/v1/webhooks', { schema: listEndpointsSchema }, async (request) => {
    const query = request.query as Query;
    const limit = readInteger(query, 'limit', { min: 1, max: LIST_MAX, fallback: 50 });
    const before = readText(query, 'after');
    if (before !== undefined && !isUuid(before)) throwMangled();
    const endpoints = await listEndpoints(deps.db, callerOf(request).organizationId, before, limit);
    return { data: endpoints.map(view), next: endpoints.length < limit ? null : (endpoints.at(-1)?.id ?? null) };
  });

  app.get('/v1/webhooks/:id', { schema: getEndpointSchema }, async (request) =>
    view(await getEndpoint(deps, ...named(request))),
  );

  app.patch('/v1/webhooks/:id', { schema: changeEndpointSchema }, async (request) => {
    const target = named(request);
    const body = readJsonBody(request, endpointPatchBody);
    const change = {
      url: body.url,
      description: body.description,
      eventTypes: body.events,
      phoneNumberIds: body.phone_number_ids,
      wabaIds: body.waba_ids,
      messageIds: body.message_ids,
      phoneNumbers: body.phone_numbers,
      ordered: body.ordered,
      ratePerSecond: body.rate_per_second,
      disabled: body.disabled,
    };
    return view(await changeEndpoint(deps, ...target, change));
  });

  app.delete('/v1/webhooks/:id', { schema: deleteEndpointSchema }, async (request, reply) => {
    await deleteEndpoint(deps, ...named(request));
    return reply.code(204).send();
  });

  app.post('/v1/webhooks/:id/enable', { schema: enableEndpointSchema }, async (request) => {
    const target = named(request);
    const body = readOptionalJsonBody(request, enableBody) ?? {};
    return view(await enableEndpoint(deps, ...target, body.rate_per_second));
  });

  app.post('/v1/webhooks/:id/test', { schema: testEndpointSchema }, async (request, reply) =>
    reply.code(202).send({ event_id: await sendTestEvent(deps, ...named(request)) }),
  );

  app.post('/v1/webhooks/:id/rotate-secret', { schema: rotateSecretSchema }, async (request, reply) => {
    const target = named(request);
    const { overlap_seconds = OVERLAP_SECONDS } = readOptionalJsonBody(request, rotateBody) ?? {};
    const rotated = await rotateSecret(deps, ...target, overlap_seconds * 1000);
    return reply.header('cache-control', 'no-store').send(viewWithSecret(rotated));
  });

  app.get('/v1/webhooks/:id/deliveries', { schema: listDeliveriesSchema }, async (request) => {
    const endpoint = await getEndpoint(deps, ...named(request));
    const query = request.query as Query;
    const status = readMatching(query, 'status', /^(pending|delivered|failed)$/, '"pending", "delivered" or "failed"');
    const { deliveries, next } = await listDeliveries(deps.db, endpoint, {
      status: status as DeliveryQuery['status'],
      eventTypes: readTypes(query),
      fromMs: readTime(query, 'from'),
      toMs: readTime(query, 'to'),
      after: readText(query, 'after'),
      limit: readInteger(query, 'limit', { min: 1, max: LIST_MAX, fallback: 50 }),
    });
    return { data: deliveries.map(renderDelivery), next: next ?? null };
  });

  app.post('/v1/webhooks/:id/replay', { schema: replaySchema }, async (request, reply) => {
    const target = named(request);
    const body = readJsonBody(request, replayBody);
    const replay = readReplay(body, deps.clock.now());
    const { queued, after } = await replayEvents(deps, ...target, replay);
    const to = replay.kind === 'range' ? { to: new Date(replay.toMs).toISOString() } : {};
    return reply.code(202).send({ queued, next: after === undefined ? null : { ...body, ...to, after } });
  });
}

/** Returns the caller's organization and the endpoint's id. Raises INVALID_ID. */
function named(request: FastifyRequest): [organizationId: string, id: string] {
  const { id } = request.params as { id: string };
  if (!isUuid(id))
    throw new AppError('INVALID_ID', 'The webhook id must be a UUID, as answered when it was registered.');
  return [callerOf(request).organizationId, id.toLowerCase()];
}

function readTypes(query: Query): EventType[] | undefined {
  return readList(query, 'type')?.map((word) => {
    if (!isEventType(word)) throw invalid('"type" must name types of event.');
    return word;
  });
}

function readReplay(body: Static<typeof replayBody>, nowMs: number): Replay {
  if ('event_id' in body) return { kind: 'event', eventId: body.event_id };
  if ('failed_since' in body)
    return { kind: 'failed', sinceMs: momentOf('failed_since', body.failed_since), after: body.after };
  const fromMs = momentOf('from', body.from);
  const toMs = body.to === undefined ? nowMs : momentOf('to', body.to);
  return { kind: 'range', fromMs, toMs, after: body.after };
}
