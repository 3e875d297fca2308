import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import { FormError } from './form-part.ts';

/** How long a client may go on sending a body nobody reads any more. */
const LINGER_MS = 5_000;

/**
 * The body of a request as a stream to be iterated once. It fails with PAYLOAD_TOO_LARGE beyond `bytesMax`, with
 * REQUEST_TIMEOUT when it has not ended within `timeoutMs`, and with FormError when the client goes away. The request
 * itself stays open, so that the failure can be answered.
 */
export function openBody(
  request: IncomingMessage,
  options: { bytesMax: number; timeoutMs: number; clock: Clock },
): Readable {
  let bytes = 0;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > options.bytesMax) done(bodyTooLarge());
      else done(null, chunk);
    },
  });
  const cancel = options.clock.schedule(options.timeoutMs, () => {
    body.destroy(new AppError('REQUEST_TIMEOUT', 'The request took too long to arrive.'));
  });
  const abandon = () => {
    if (!request.complete) body.destroy(new FormError('ends too early'));
  };
  request.once('close', abandon);
  body.on('error', () => {
    // Whoever iterates the body is told.
  });
  body.once('close', () => {
    cancel();
    request.off('close', abandon);
  });
  // Unlike pipeline(), pipe() leaves the request open when the body fails.
  return request.pipe(body);
}

export function bodyTooLarge(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', 'The request body is larger than this endpoint takes.');
}

/**
 * Reads and forgets what is left of a request that is being refused, for a few seconds: a connection closed at once could
 * take the answer with it. Then the connection is cut.
 */
export function discardRest(request: IncomingMessage, clock: Clock): void {
  if (request.complete || request.destroyed) return;
  const cancel = clock.schedule(LINGER_MS, () => request.destroy());
  request.once('close', cancel);
  request.resume();
}
