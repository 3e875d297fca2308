import type { IncomingMessage } from 'node:http';
import { AppError } from '../../core/errors.ts';
import { GatheredChunks } from '../../core/gathered-chunks.ts';
import type { Clock } from '../../core/time/clock.ts';
import { bodyTooLarge } from '../../http/index.ts';
import { FormError } from './form-part.ts';

/** How long a client may go on sending a body nobody reads any more. */
const LINGER_MS = 5_000;

/**
 * The body of a request, chunk by chunk as it is asked for. Fails with PAYLOAD_TOO_LARGE beyond `bytesMax`, with
 * REQUEST_TIMEOUT when it has not ended within `timeoutMs`, and with FormError when the client goes away, or is cut off because it
 * sends splinters. The request itself stays open, so that the failure can be answered, and nothing is read ahead: a stream in
 * between would double what every upload holds in memory. So it is the socket that is paused: a paused request would itself keep
 * whatever comes in, in chunks as small as they are sent.
 */
export async function* readBody(
  request: IncomingMessage,
  options: { bytesMax: number; timeoutMs: number; clock: Clock },
): AsyncGenerator<Buffer> {
  const { socket } = request;
  const chunks = new GatheredChunks();
  let expired = false;
  let isHeld = false;
  let wake = () => {};
  // With each chunk the request resumes its socket by itself.
  const holdBack = () => {
    if (isHeld) socket.pause();
  };
  const events = {
    data(chunk: Buffer) {
      isHeld = true;
      socket.pause();
      chunks.push(chunk);
      if (chunks.isSplintered) request.destroy();
      wake();
    },
    end: () => wake(),
    close: () => wake(),
  };
  const cancel = options.clock.schedule(options.timeoutMs, () => {
    expired = true;
    wake();
  });
  socket.on('resume', holdBack);
  request.on('data', events.data).on('end', events.end).on('close', events.close);
  try {
    for (let bytes = 0; ; ) {
      const chunk = chunks.shift();
      if (expired) throw new AppError('REQUEST_TIMEOUT', 'The request took too long to arrive.');
      if (chunk !== undefined) {
        bytes += chunk.length;
        if (bytes > options.bytesMax) throw bodyTooLarge();
        yield chunk;
      } else if (request.readableEnded) {
        return;
      } else if (request.destroyed) {
        throw new FormError('ends too early');
      } else {
        isHeld = false;
        socket.resume();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    cancel();
    socket.off('resume', holdBack);
    socket.resume();
    request.off('data', events.data).off('end', events.end).off('close', events.close);
  }
}

/**
 * Reads and forgets what is left of a request that is being refused, for a few seconds: a connection closed at once could
 * take the answer with it. Then the connection is cut.
 */
export function discardRest(request: IncomingMessage, clock: Clock): void {
  if (request.complete || request.destroyed) return;
  const cancel = clock.schedule(LINGER_MS, () => request.destroy());
  request.once('end', cancel).once('close', cancel);
  request.resume();
}
