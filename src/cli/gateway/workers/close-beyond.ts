import type { Server } from 'node:net';

/**
 * Closes each connection beyond the server's `maxConnections`. With its own check, a worker would give the connection back, and the supervisor
 * would offer it to the workers again at once: both would be busy with it until another connection ends.
 */
export function closeBeyondMax(server: Server): void {
  const openMax = server.maxConnections;
  server.maxConnections = Number.POSITIVE_INFINITY;
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open > openMax) socket.destroy();
  });
}
