import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Accounts, permittedNumberIds } from '../accounts/index.ts';
import { AppError } from '../core/errors.ts';
import type { Queryable } from '../database/database.ts';
import { isHeldBack } from '../events/index.ts';
import { callerOf, jsonBytesOf, type Query, sendJson } from '../http/index.ts';
import type { OrganizationPolicy, OrganizationSettings } from '../organizations/index.ts';
import { serveUnder, type Tracing } from '../telemetry/index.ts';
import type { Upstream } from '../upstream/index.ts';
import { listMessages } from './lookup/list-messages.ts';
import { listMessagesSchema } from './lookup/list-schema.ts';
import { readMessageFilter } from './lookup/message-filter.ts';
import { messageNotFound, readMessageId } from './lookup/message-id.ts';
import { getMessageBodySchema, getMessageSchema } from './lookup/message-schemas.ts';
import { renderMessage } from './lookup/message-view.ts';
import { findBody, findMessage } from './queries.ts';
import { markAsReadSchema, sendMarketingMessageSchema, sendMessageSchema } from './schemas.ts';
import { type AcceptDeps, acceptMessage, type SendAnswer } from './send/accept-message.ts';
import { readIdempotencyKey, readSync } from './send/idempotency-key.ts';
import { markAsRead } from './send/mark-as-read.ts';
import { readMarketingRequest, readSendRequest, type SendRequest } from './send/send-request.ts';

interface SendRouteDeps extends AcceptDeps {
  settings: OrganizationSettings;
  upstream: Upstream;
  tracing: Tracing;
}

/** Adds the send routes (api-rules#sending). */
export function sendRoutes(app: FastifyInstance, deps: SendRouteDeps): void {
  const sendAs = (read: typeof readSendRequest) => async (request: FastifyRequest, reply: FastifyReply) => {
    const known = deps.settings.get(callerOf(request).organizationId);
    const settings = known instanceof Promise ? await known : known;
    const body = read(jsonBytesOf(request), settings);
    request.giveBackParsed();
    const { phoneNumberId } = request.params as { phoneNumberId: string };
    if (body.kind === 'read') {
      await serveUnder(singleHeader(request.headers.traceparent), () =>
        markAsRead(deps, callerOf(request), phoneNumberId, body),
      );
      return sendJson(reply, '{"success":true}');
    }
    if (request.method !== 'POST') {
      reply.header('allow', 'POST');
      throw new AppError('METHOD_NOT_ALLOWED', 'Messages are sent with POST.');
    }
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const sync = readSync((request.query as { sync?: unknown }).sync);
    const work = deps.tracing.startServer('accept message', singleHeader(request.headers.traceparent));
    let answer: SendAnswer;
    try {
      const options = { settings, idempotencyKey, sync, traceparent: work.traceparent };
      answer = await acceptMessage(deps, callerOf(request), phoneNumberId, body, options);
    } catch (error) {
      work.end(error instanceof AppError ? error.code : 'INTERNAL_ERROR');
      throw error;
    }
    work.end();
    if (answer.replayed) reply.header('idempotent-replayed', 'true');
    return sendJson(reply.code(answer.wamid === undefined ? 202 : 200), renderSendAnswer(body, answer, settings));
  };
  const send = sendAs(readSendRequest);
  app.post('/v1/:phoneNumberId/messages', { schema: sendMessageSchema }, send);
  app.post(
    '/v1/:phoneNumberId/marketing_messages',
    { schema: sendMarketingMessageSchema },
    sendAs(readMarketingRequest),
  );
  // Cloud API clients also mark as read with PUT. PUT sends no message, because a proxy in between may repeat a PUT by itself.
  app.put('/v1/:phoneNumberId/messages', { schema: markAsReadSchema }, send);
}

interface MessageRouteDeps {
  /** For reading messages back. */
  lookups: Queryable;
  accounts: Accounts;
}

/** Adds the routes that read messages (api-rules#message). */
export function messageRoutes(app: FastifyInstance, { accounts, lookups }: MessageRouteDeps): void {
  app.get('/v1/messages', { schema: listMessagesSchema }, async (request, reply) => {
    const { phoneNumberId, ...filter } = readMessageFilter(request.query as Query);
    const caller = callerOf(request);
    const numberIds = await permittedNumberIds(accounts, caller, phoneNumberId);
    const { rows, next } = await listMessages(lookups, caller.organizationId, filter, numberIds);
    return sendJson(reply, `{"data":[${rows.map(renderMessage).join(',')}],"next":${JSON.stringify(next ?? null)}}`);
  });

  app.get(
    '/v1/messages/:id',
    { schema: getMessageSchema, config: { failureCode: 'FETCH_FAILED' } },
    async (request, reply) => {
      const { id } = request.params as { id: string };
      const message = await findMessage(lookups, callerOf(request).organizationId, readMessageId(id));
      if (message === undefined) throw messageNotFound();
      return sendJson(reply, renderMessage(message));
    },
  );

  app.get(
    '/v1/messages/:id/body',
    { schema: getMessageBodySchema, config: { failureCode: 'FETCH_FAILED', isContents: true } },
    async (request, reply) => {
      const { id } = request.params as { id: string };
      const body = await findBody(lookups, callerOf(request).organizationId, readMessageId(id));
      if (body === undefined) throw messageNotFound();
      return sendJson(reply, body);
    },
  );
}

function singleHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Renders the recipient as the platform's own answer does: with the number, or with the user id it was sent to. */
function renderContact(
  { input, recipient, userId }: SendRequest,
  phoneNumbers: OrganizationPolicy['phoneNumbers'],
): string {
  if (recipient === undefined) return `{"input":${JSON.stringify(input)},"user_id":${JSON.stringify(userId)}}`;
  const number = `"+${recipient}"`;
  return phoneNumbers === 'e164'
    ? `{"input":${number},"wa_id":${number}}`
    : `{"input":${JSON.stringify(input)},"wa_id":"${recipient}"}`;
}

/** Renders the envelope of api-rules#sending, with the upstream's `message_status` if it may hold the message back. */
function renderSendAnswer(
  request: SendRequest,
  answer: SendAnswer,
  { phoneNumbers }: Pick<OrganizationPolicy, 'phoneNumbers'>,
): string {
  const { wamid, upstreamStatus } = answer;
  const status = wamid === undefined ? '"queued"' : `"sent","wamid":${JSON.stringify(wamid)}`;
  const word = isHeldBack(upstreamStatus ?? null) ? `,"upstream_status":${JSON.stringify(upstreamStatus)}` : '';
  return (
    `{"messaging_product":"whatsapp","contacts":[${renderContact(request, phoneNumbers)}],` +
    `"messages":[{"id":"${answer.messageId}","message_status":${status}${word}}]}`
  );
}
