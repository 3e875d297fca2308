import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { EgressError } from './egress-failure.ts';

/**
 * A connector whose connections break, as `too_large`, once more than `bytesMax` have come in answer to one request, whatever they are:
 * of interim answers, line breaks before an answer and extensions of chunks the HTTP client reads any amount, and tells nobody.
 */
export function boundAnswers(connect: buildConnector.connector, bytesMax: number): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket !== null) boundReads(socket, bytesMax);
      callback(...result);
    });
}

/** Not by listening to what comes: the HTTP client reads it when it can go on. */
function boundReads(socket: Socket, bytesMax: number): void {
  const read = socket.read.bind(socket);
  let written = 0;
  let bytes = 0;
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size);
    // One request at a time is under way: what comes after it was written answers it.
    if (socket.bytesWritten !== written) bytes = 0;
    written = socket.bytesWritten;
    bytes += chunk?.length ?? 0;
    if (bytes <= bytesMax) return chunk;
    socket.destroy(new EgressError('too_large'));
    return null;
  };
}
