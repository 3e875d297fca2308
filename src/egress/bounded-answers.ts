import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { EgressError } from './egress-failure.ts';

/**
 * Wraps a connector: its connections break, as `too_large`, once the answer to one request exceeds `bytesMax` in any form. Without this,
 * interim answers, line breaks before an answer and chunk extensions are unlimited: the HTTP client reads them without reporting them.
 */
export function boundAnswers(connect: buildConnector.connector, bytesMax: number): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket !== null) boundReads(socket, bytesMax);
      callback(...result);
    });
}

/** Counts by wrapping `read`. A `data` listener would defeat the client's backpressure, which reads only when it can go on. */
function boundReads(socket: Socket, bytesMax: number): void {
  const read = socket.read.bind(socket);
  let written = 0;
  let bytes = 0;
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    // One request at a time is in progress, so all bytes after a write belong to its answer.
    if (socket.bytesWritten !== written) bytes = 0;
    written = socket.bytesWritten;
    bytes += chunk?.length ?? 0;
    if (bytes <= bytesMax) return chunk;
    socket.destroy(new EgressError('too_large'));
    return null;
  };
}
