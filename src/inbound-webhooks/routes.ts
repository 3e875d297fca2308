import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { sha256 } from '../core/digest.ts';
import { AppError, invalid } from '../core/errors.ts';
import { readJsonDocument } from '../core/json/index.ts';
import { type Query, readInteger, readJsonBody, readText, readTime } from '../http/index.ts';
import { decodeJournalCursor, encodeJournalCursor } from './journal/journal-cursor.ts';
import { type ReplayDeps, replayPayloads } from './journal/replay-payloads.ts';
import { isSigned } from './payload/signature.ts';
import { type JournalEntry, listPayloads } from './queries.ts';
import type { PayloadReceiver } from './receive-payload.ts';
import { listJournalSchema, replayBody, replayJournalSchema } from './schemas.ts';

/** Payloads of up to 3 MB are documented; this allows a little more. */
const PAYLOAD_BYTES_MAX = 4 * 1024 * 1024;
const PAGE_BYTES_MAX = 8 * 1024 * 1024;
const END_OF_TIME_MS = Date.UTC(9999, 0);

export interface WebhookRouteDeps {
  receiver: PayloadReceiver;
  appSecrets: readonly string[];
  verifyToken: string;
}

/** Registers the endpoint that the upstream posts to, and its handshake. */
export function inboundWebhookRoutes(app: FastifyInstance, deps: WebhookRouteDeps): void {
  const expected = sha256(deps.verifyToken);

  app.get('/webhooks/upstream', { schema: { hide: true } }, (request, reply) => {
    const query = request.query as Record<string, unknown>;
    const challenge = query['hub.challenge'];
    const token = query['hub.verify_token'];
    const known = typeof token === 'string' && timingSafeEqual(sha256(token), expected);
    if (query['hub.mode'] !== 'subscribe' || typeof challenge !== 'string' || !known) {
      return reply.code(403).header('content-type', 'text/plain').send('verify token mismatch');
    }
    return reply.header('content-type', 'text/plain').send(challenge);
  });

  app.post('/webhooks/upstream', { schema: { hide: true }, bodyLimit: PAYLOAD_BYTES_MAX }, async (request, reply) => {
    const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    if (!isSigned(body, request.headers['x-hub-signature-256'], deps.appSecrets)) {
      deps.receiver.refused();
      throw new AppError('UNAUTHORIZED', 'The signature does not match the body.');
    }
    await deps.receiver.submit(body);
    return reply.code(200).send();
  });
}

/** Registers the journal of the upstream's payloads under `/admin/v1`. */
export function upstreamJournalRoutes(app: FastifyInstance, deps: ReplayDeps): void {
  app.get('/admin/v1/upstream-journal', { schema: listJournalSchema }, async (request, reply) => {
    const query = request.query as Query;
    const after = decodeJournalCursor(readText(query, 'after'));
    const range = {
      from: new Date(readTime(query, 'from') ?? 0),
      to: new Date(readTime(query, 'to') ?? END_OF_TIME_MS),
    };
    const limit = readInteger(query, 'limit', { min: 1, max: 200, fallback: 50 });
    const entries = await listPayloads(deps.db, after, range, limit, PAGE_BYTES_MAX);
    const next = encodeJournalCursor(entries.at(-1) ?? after);
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(`{"data":[${entries.map(renderEntry).join(',')}],"next":"${next}"}`);
  });

  app.post('/admin/v1/upstream-journal/replay', { schema: replayJournalSchema }, async (request, reply) => {
    const body = readJsonBody(request, replayBody);
    const from = readTime(body, 'from');
    const to = readTime(body, 'to');
    if (from === undefined || to === undefined || from >= to) {
      throw invalid('"from" must be a time before "to".');
    }
    const payloads = await replayPayloads(deps, { from: new Date(from), to: new Date(to) });
    return reply.code(202).send({ payloads });
  });
}

/** Renders a payload unchanged if it is JSON, so that no number in it loses a digit. */
function renderEntry({ id, receivedAt, pending, failure, payload }: JournalEntry): string {
  const shown = isJsonObject(payload) ? `"payload":${payload}` : `"payload_base64":"${payload.toString('base64')}"`;
  return `{"id":${id},"received_at":"${receivedAt.toISOString()}","pending":${pending},"failure":${JSON.stringify(failure)},${shown}}`;
}

function isJsonObject(payload: Buffer): boolean {
  try {
    readJsonDocument(payload);
    return true;
  } catch {
    return false;
  }
}
