import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Apps, WebhookSecrets } from '../apps/index.ts';
import { sha256 } from '../core/digest.ts';
import { AppError, invalid } from '../core/errors.ts';
import { readJsonDocument } from '../core/json/index.ts';
import { mapNow, type Now } from '../core/now.ts';
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
  apps: Pick<Apps, 'ofApp' | 'ofDefault' | 'ofShared'>;
}

interface OfApp {
  Params: { appId: string };
}

/** Registers the addresses that the platform posts to, one for all apps and one for each, and their handshakes. */
export function inboundWebhookRoutes(app: FastifyInstance, deps: WebhookRouteDeps): void {
  const { apps, receiver } = deps;

  const shakeHands = (request: FastifyRequest, reply: FastifyReply, isKnown: (token: string) => Now<boolean>) => {
    const query = request.query as Record<string, unknown>;
    const { 'hub.challenge': challenge, 'hub.verify_token': token, 'hub.mode': mode } = query;
    const plain = reply.header('content-type', 'text/plain');
    if (mode !== 'subscribe' || typeof challenge !== 'string' || typeof token !== 'string') return refuse(plain);
    return mapNow(isKnown(token), (known) => (known ? plain.send(challenge) : refuse(plain)));
  };

  const take = async (request: FastifyRequest, reply: FastifyReply, isOurs: (body: Buffer) => Now<boolean>) => {
    const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    if (!(await isOurs(body))) {
      receiver.refused();
      throw new AppError('UNAUTHORIZED', 'The signature does not match the body.');
    }
    await receiver.submit(body);
    return reply.code(200).send();
  };

  app.get('/webhooks/upstream', { schema: { hide: true } }, (request, reply) =>
    shakeHands(
      request,
      reply,
      (token) => isVerifyToken(token, apps.ofDefault) || mapNow(apps.ofShared(), (own) => isVerifyToken(token, own)),
    ),
  );

  app.get<OfApp>('/webhooks/upstream/:appId', { schema: { hide: true } }, (request, reply) =>
    shakeHands(request, reply, (token) => mapNow(apps.ofApp(request.params.appId), (own) => isVerifyToken(token, own))),
  );

  const intake = { schema: { hide: true }, bodyLimit: PAYLOAD_BYTES_MAX };

  // The secrets of the environment come first: with one app, nothing else is tried for a webhook of the platform.
  app.post('/webhooks/upstream', intake, (request, reply) => {
    const { 'x-hub-signature-256': signature } = request.headers;
    return take(
      request,
      reply,
      (body) =>
        isSigned(body, signature, apps.ofDefault.secrets) ||
        mapNow(apps.ofShared(), ({ secrets }) => isSigned(body, signature, secrets)),
    );
  });

  app.post<OfApp>('/webhooks/upstream/:appId', intake, (request, reply) =>
    take(request, reply, (body) =>
      mapNow(apps.ofApp(request.params.appId), ({ secrets }) =>
        isSigned(body, request.headers['x-hub-signature-256'], secrets),
      ),
    ),
  );
}

function refuse(plain: FastifyReply) {
  return plain.code(403).send('verify token mismatch');
}

/** True if `token` is one of the verify tokens. All are compared, so that the time taken reveals nothing. */
function isVerifyToken(token: string, { verifyDigests }: WebhookSecrets): boolean {
  const given = sha256(token);
  let known = false;
  for (const digest of verifyDigests) known = timingSafeEqual(given, digest) || known;
  return known;
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
