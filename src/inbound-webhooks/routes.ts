import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { sha256 } from '../core/digest.ts';
import { AppError } from '../core/errors.ts';
import type { PayloadReceiver } from './receive-payload.ts';
import { isSigned } from './signature.ts';

/** Payloads of up to 3 MB are documented; a little room above that. */
const PAYLOAD_BYTES_MAX = 4 * 1024 * 1024;

export interface WebhookRouteDeps {
  receiver: PayloadReceiver;
  appSecrets: readonly string[];
  verifyToken: string;
}

/** The endpoint the upstream posts to, and its handshake. */
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
      throw new AppError('UNAUTHORIZED', 'The signature does not match the body.');
    }
    await deps.receiver.submit(body);
    return reply.code(200).send();
  });
}
