import type { FastifyReply, FastifyRequest } from 'fastify';

/** Called after a request with its duration. `reply` was sent completely, unless its client disconnected. */
export type RequestEnd = (request: FastifyRequest, reply: FastifyReply, seconds: number) => void;

/**
 * Calls `listeners` once a request is over, however it ended. All share one event, because listening costs about as much as their work.
 * Fastify's `onResponse` is not used, because it does not fire for clients that disconnected.
 */
export function onceOver(request: FastifyRequest, reply: FastifyReply, listeners: readonly RequestEnd[]): void {
  const startedAtMs = performance.now();
  reply.raw.on('close', () => {
    const seconds = (performance.now() - startedAtMs) / 1000;
    for (const listener of listeners) listener(request, reply, seconds);
  });
}
