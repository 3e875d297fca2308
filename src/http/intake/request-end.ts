import type { FastifyReply, FastifyRequest } from 'fastify';

/** Told of a request that is over and how long it took. `reply` was sent whole unless its client went away. */
export type RequestEnd = (request: FastifyRequest, reply: FastifyReply, seconds: number) => void;

/**
 * Tells `listeners` of a request once it is over, however it ended. One event for all of them, since listening costs about as much
 * as what they do; and not Fastify's `onResponse`, which does not tell of clients that went away.
 */
export function onceOver(request: FastifyRequest, reply: FastifyReply, listeners: readonly RequestEnd[]): void {
  const startedAtMs = performance.now();
  reply.raw.on('close', () => {
    const seconds = (performance.now() - startedAtMs) / 1000;
    for (const listener of listeners) listener(request, reply, seconds);
  });
}
