import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteBudget } from '../core/byte-budget.ts';
import { AppError } from '../core/errors.ts';
import { GatheredChunks } from '../core/gathered-chunks.ts';
import { parsedBytesOf } from '../core/parsed-bytes.ts';
import { RequestRoom } from './request-room.ts';

/**
 * Reads bodies whole, as buffers, whatever their `Content-Type` says. A body ends in PAYLOAD_TOO_LARGE beyond its route's
 * limit, and in UNAVAILABLE when all bodies together, or what they may be parsed into, outgrow the budget. What it took it gives
 * back once the request is over. A client that sends it in splinters is cut off.
 */
export function readRawBodies(app: FastifyInstance, budget: ByteBudget): void {
  const room = new RequestRoom(budget);
  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('clientAddress', '');
  app.addContentTypeParser('*', (request, payload, done) => {
    readBody(request, payload, room).then((body) => done(null, body), done);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { headers } = request;
    // Not onResponse, which is not called for a client that went away.
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      request.clientAddress = request.ip;
      reply.raw.once('close', () => room.giveBack(request));
    }
    done();
  });
}

function readBody(request: FastifyRequest, payload: IncomingMessage, room: RequestRoom): Promise<Buffer> {
  const bytesMax = request.routeOptions.bodyLimit;
  return new Promise((resolve, reject) => {
    const chunks = new GatheredChunks();
    const refuse = (error: AppError) => {
      payload.off('data', onData);
      chunks.takeAll();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      if (request.bodyBytes + chunk.length > bytesMax) return refuse(tooLarge());
      if (!room.take(request, chunk.length)) return refuse(noRoom());
      chunks.push(chunk);
      if (chunks.isSplintered) payload.destroy();
    };
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) return reject(tooLarge());
    payload.on('data', onData);
    payload.once('end', () => {
      const body = chunks.takeAll();
      if (!room.take(request, Math.min(parsedBytesOf(body), room.leftOf(request)))) return refuse(noRoom());
      resolve(body);
    });
    payload.once('error', () => reject(endedEarly()));
  });
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
