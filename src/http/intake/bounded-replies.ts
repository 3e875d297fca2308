import type { FastifyInstance, onSendHookHandler } from 'fastify';
import { unavailable } from '../../core/errors.ts';
import { ByteBudget } from '../../core/limits/byte-budget.ts';

/** Answers up to this size are not counted: every open connection may wait for one. */
const SMALL_BYTES_MAX = 64 * 1024;
const REPLY_BYTES_MAX = 64 * 1024 * 1024;
const READ_WITHIN_MS = 60_000;

/**
 * Bounds the memory of large answers that clients have yet to read, and each organization's part of it. Beyond that, answers end in
 * UNAVAILABLE. A client that takes more than a minute to read one is disconnected.
 * Streams are not counted, because they wait for their reader. Nor are answers to methods other than GET: they are small, or repeat the
 * request, whose memory stays counted until the answer is sent.
 */
export function boundReplies(app: FastifyInstance, bytesMax: number = REPLY_BYTES_MAX): void {
  const budget = new ByteBudget(bytesMax);
  const bound: onSendHookHandler<unknown> = (request, reply, payload, done) => {
    const bytes = bytesOf(payload);
    // After a disconnect no `close` event would come, so the memory would never be given back.
    if (bytes <= SMALL_BYTES_MAX || reply.raw.destroyed) return done(null, payload);
    const party = request.caller?.organizationId ?? request.routeOptions.url ?? '';
    if (!budget.take(party, bytes)) {
      return done(unavailable('Too many large answers wait to be read. Try again.'));
    }
    const timer = setTimeout(() => reply.raw.destroy(), READ_WITHIN_MS).unref();
    reply.raw.once('close', () => {
      clearTimeout(timer);
      budget.giveBack(party, bytes);
    });
    done(null, payload);
  };
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().includes('GET')) route.onSend = [...[route.onSend ?? []].flat(), bound];
  });
}

function bytesOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return Buffer.isBuffer(payload) ? payload.length : 0;
}
