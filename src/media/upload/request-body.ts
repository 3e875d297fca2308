import type { IncomingMessage } from 'node:http';
import { AppError } from '../../core/errors.ts';
import { GatheredChunks } from '../../core/gathered-chunks.ts';
import type { Clock } from '../../core/time/clock.ts';
import { bodyTooLarge } from '../../http/index.ts';
import { FormError } from './form-part.ts';

/** Longest time in ms that a client may go on sending a body that is no longer used. */
const LINGER_MS = 5_000;

/**
 * Yields the body of a request, chunk by chunk on demand. Fails with PAYLOAD_TOO_LARGE beyond `bytesMax`, and with REQUEST_TIMEOUT if it
 * has not ended within `timeoutMs`. Fails with FormError if the client disconnects, or is cut off because it sends splinters.
 * The request itself stays open, so that the failure can be answered. Nothing is read ahead: a stream in between would double the memory
 * of every upload. So the socket is paused, because a paused request would buffer everything that arrives, in chunks as small as they are
 * sent.
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
  // The request resumes its socket after each chunk.
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
 * Reads and discards the rest of a request that is being refused, for a few seconds: a connection closed at once could lose the answer.
 * Then the connection is cut off.
 */
export function discardRest(request: IncomingMessage, clock: Clock): void {
  if (request.complete || request.destroyed) return;
  const cancel = clock.schedule(LINGER_MS, () => request.destroy());
  request.once('end', cancel).once('close', cancel);
  request.resume();
}
