import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalid, unavailable } from '../../core/errors.ts';
import { GatheredChunks } from '../../core/gathered-chunks.ts';
import type { RequestRoom } from './request-room.ts';
import type { Turns } from './turns.ts';

/**
 * Reads bodies completely, as buffers, whatever their `Content-Type`. A body ends in PAYLOAD_TOO_LARGE beyond its route's limit, and in
 * UNAVAILABLE if all bodies together, or their parsed forms, would exceed the memory budget. The owner of `room` gives back the memory of
 * each request.
 * A client that sends its body in splinters is disconnected. A request that has arrived completely waits for its turn, in memory that is
 * counted.
 */
export function readRawBodies(app: FastifyInstance, room: RequestRoom, turns: Turns): void {
  // Registered by name as well: with `*` alone, Fastify parses the header again for every request.
  app.addContentTypeParser(['application/json', '*'], (request, payload, done) =>
    readBody(request, payload, { room, turns }, done),
  );
}

function readBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  { room, turns }: { room: RequestRoom; turns: Turns },
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const bytesMax = request.routeOptions.bodyLimit;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    done(bodyTooLarge());
    return;
  }
  const chunks = new GatheredChunks();
  const stop = () => payload.off('data', onData).off('end', onEnd).off('error', onError);
  const refuse = (error: AppError) => {
    stop();
    chunks.takeAll();
    done(error);
  };
  const onData = (chunk: Buffer) => {
    if (request.bodyBytes + chunk.length > bytesMax) return refuse(bodyTooLarge());
    if (!room.take(request, chunk.length)) return refuse(noRoom());
    chunks.push(chunk);
    if (chunks.isSplintered) payload.destroy();
  };
  const onEnd = () => {
    const body = chunks.takeAll();
    if (!room.takeParsed(request, body)) return refuse(noRoom());
    stop();
    turns.add(() => done(null, body));
  };
  const onError = () => refuse(endedEarly());
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

/** Returns the answer to a body that is larger than its route accepts. */
export function bodyTooLarge(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', 'The request body is larger than this endpoint takes.');
}

function noRoom(): AppError {
  return unavailable('Too many large requests at once. Try again.');
}

function endedEarly(): AppError {
  return invalid('The connection ended before the request body did.');
}
