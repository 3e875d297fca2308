import type { FastifyReply } from 'fastify';

/** Answers with JSON that is already text, unchanged. */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}
