import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { invalid } from '../core/errors.ts';
import { callerOf, momentOf, readJsonBody } from '../http/index.ts';
import { readMessageId } from '../messages/index.ts';
import { type CancelDeps, type CancelFilter, cancelMessage, cancelMessages } from './cancel-messages.ts';
import type { QueuePosition } from './queries.ts';
import { cancelBody, cancelMessageSchema, cancelMessagesSchema } from './schemas.ts';

const INT_MAX = 2 ** 31 - 1;

/** Registers the routes that cancel waiting messages. */
export function cancellationRoutes(app: FastifyInstance, deps: CancelDeps): void {
  app.post('/v1/messages/cancel', { schema: cancelMessagesSchema }, async (request, reply) => {
    const body = readJsonBody(request, cancelBody);
    const { cancelled, after } = await cancelMessages(deps, callerOf(request).organizationId, readFilter(body));
    return reply.code(202).send({ cancelled, next: after === undefined ? null : { ...body, after: encode(after) } });
  });

  app.post('/v1/messages/:id/cancel', { schema: cancelMessageSchema }, async (request, reply) => {
    const { id } = request.params as { id: string };
    await cancelMessage(deps, callerOf(request).organizationId, readMessageId(id));
    return reply.code(202).send({ cancelled: 1, next: null });
  });
}

function readFilter(body: Static<typeof cancelBody>): CancelFilter {
  const { after, ...narrowing } = body;
  if (Object.keys(narrowing).length === 0) {
    throw invalid('The body must say which messages to cancel: name at least one of its members.');
  }
  return {
    phoneNumberId: body.number,
    recipient: body.recipient?.replace('+', ''),
    userId: body.user_id,
    type: body.type,
    template: body.template,
    callbackData: body.biz_opaque_callback_data,
    fromMs: body.from === undefined ? undefined : momentOf('from', body.from),
    toMs: body.to === undefined ? undefined : momentOf('to', body.to),
    after: after === undefined ? undefined : decode(after),
  };
}

function encode({ numberId, flowId, seq }: QueuePosition): string {
  return `${numberId}.${flowId}.${seq}`;
}

function decode(after: string): QueuePosition {
  const [numberId = Number.NaN, flowId = Number.NaN, seq = Number.NaN] = after.split('.').map(Number);
  if (/^(\d+\.){2}\d+$/.test(after) && numberId <= INT_MAX && flowId <= INT_MAX && Number.isSafeInteger(seq)) {
    return { numberId, flowId, seq };
  }
  throw invalid('"after" must be a value from an earlier answer.');
}
