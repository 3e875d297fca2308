import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import type { BodyBudget } from './body-budget.ts';
import { parsedBytesOf } from './parsed-bytes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the body in memory and of what it may be parsed into, as taken from the budget. */
    bodyBytes: number;
  }
}

/**
 * Reads bodies whole, as buffers, whatever their `Content-Type` says. A body ends in PAYLOAD_TOO_LARGE beyond its route's
 * limit, and in UNAVAILABLE when all bodies together, or what they may be parsed into, outgrow the budget. What it took it gives
 * back once the request is over.
 */
export function readRawBodies(app: FastifyInstance, budget: BodyBudget): void {
  app.decorateRequest('bodyBytes', 0);
  app.addContentTypeParser('*', (request, payload, done) => {
    readBody(request, payload, budget).then((body) => done(null, body), done);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { headers } = request;
    // Not onResponse, which is not called for a client that went away.
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      reply.raw.once('close', () => budget.giveBack(partyOf(request), request.bodyBytes));
    }
    done();
  });
}

function readBody(request: FastifyRequest, payload: IncomingMessage, budget: BodyBudget): Promise<Buffer> {
  const bytesMax = request.routeOptions.bodyLimit;
  const party = partyOf(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const refuse = (error: AppError) => {
      payload.off('data', onData);
      chunks.length = 0;
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      if (request.bodyBytes + chunk.length > bytesMax) return refuse(tooLarge());
      if (!budget.take(party, chunk.length)) return refuse(noRoom());
      request.bodyBytes += chunk.length;
      chunks.push(chunk);
    };
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) return reject(tooLarge());
    payload.on('data', onData);
    payload.once('end', () => {
      const body = Buffer.concat(chunks);
      const parsedBytes = parsedBytesOf(body);
      if (!budget.take(party, parsedBytes)) return refuse(noRoom());
      request.bodyBytes += parsedBytes;
      resolve(body);
    });
    payload.once('error', () => reject(endedEarly()));
  });
}

/** Who is charged: the caller's organization, or everybody without a key together. */
function partyOf(request: FastifyRequest): string {
  return request.caller?.organizationId ?? '';
}

function tooLarge(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', 'The request body is larger than this endpoint takes.');
}

function noRoom(): AppError {
  return new AppError('UNAVAILABLE', 'Too many large requests at once. Try again.', { retryAfterSeconds: 1 });
}

function endedEarly(): AppError {
  return new AppError('VALIDATION_ERROR', 'The connection ended before the request body did.');
}
